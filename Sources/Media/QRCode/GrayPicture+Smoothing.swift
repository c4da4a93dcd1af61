import Services

extension GrayPicture {
    /// The picture at half the size, each pixel the mean of four; `nil` for one that is too small.
    var halved: GrayPicture? {
        let (width, height) = (size.width / 2, size.height / 2)
        guard width > 0, height > 0 else { return nil }
        let half = unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe [UInt8](unsafeUninitializedCapacity: width * height) { half, count in
                for row in 0..<height {
                    let upper = 2 * row * size.width
                    let lower = upper + size.width
                    for column in 0..<width {
                        let left = 2 * column
                        let sum = unsafe Int(pixels[upper + left]) + Int(pixels[upper + left + 1])
                        let below = unsafe Int(pixels[lower + left]) + Int(pixels[lower + left + 1])
                        unsafe half[row * width + column] = UInt8((sum + below + 2) / 4)
                    }
                }
                count = width * height
            }
        }
        return GrayPicture(size: PixelSize(width: width, height: height), pixels: half)
    }

    /// The picture with each pixel the mean of the nine around it, but for those at the sides; `nil` for one that is too small.
    var smoothed: GrayPicture? {
        let (width, height) = (size.width, size.height)
        guard width > 2, height > 2 else { return nil }
        var smooth = pixels
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe smooth.withUnsafeMutableBufferPointer { smooth in
                for row in 1..<height - 1 {
                    let line = row * width
                    // The sums of three columns, of which the oldest is replaced in each step.
                    func column(_ place: Int) -> Int {
                        unsafe Int(pixels[place - width]) + Int(pixels[place]) + Int(pixels[place + width])
                    }
                    var (left, middle) = (column(line), column(line + 1))
                    for place in line + 1..<line + width - 1 {
                        let right = column(place + 1)
                        unsafe smooth[place] = UInt8((left + middle + right) / 9)
                        (left, middle) = (middle, right)
                    }
                }
            }
        }
        return GrayPicture(size: size, pixels: smooth)
    }
}
