import Services

/// Pictures made up for tests.
enum Pictures {
    /// Coloured gradients, with deterministic grain of ± `grain` so that file sizes can be chosen.
    static func gradient(
        _ width: Int,
        _ height: Int,
        _ layout: PixelBuffer.Layout = .rgb,
        grain: Int = 0
    ) -> PixelBuffer {
        let picture = PixelBuffer(size: PixelSize(width: width, height: height), layout: layout)
        var state: UInt32 = 12_345
        func noise() -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return grain == 0 ? 0 : Int(state >> 16) % (2 * grain + 1) - grain
        }
        unsafe picture.withMutableBytes { bytes in
            switch layout {
            case .rgb:
                for index in 0..<(width * height) {
                    let (y, x) = index.quotientAndRemainder(dividingBy: width)
                    for (channel, value) in [40 + x * 150 / width, 40 + y * 150 / height, 120].enumerated() {
                        unsafe bytes[3 * index + channel] = UInt8(clamping: value + noise())
                    }
                }
            case .i420:
                for index in 0..<bytes.count {
                    let isLuma = index < width * height
                    let ramp = isLuma ? 60 + index % width * 120 / width : 128
                    unsafe bytes[index] = UInt8(clamping: ramp + (isLuma ? noise() : 0))
                }
            }
        }
        return picture
    }

    static func frame(_ picture: PixelBuffer) -> VideoFrame {
        VideoFrame(sequence: 0, timestamp: .zero, size: picture.size, content: .pixels(picture))
    }

    static func frame(_ file: [UInt8]) -> VideoFrame {
        VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .jpeg(file))
    }

    static func bytes(of picture: PixelBuffer) -> [UInt8] { unsafe picture.withBytes { unsafe [UInt8]($0) } }

    /// The mean difference of two pictures' samples, 0…255.
    static func distance(_ left: PixelBuffer, _ right: PixelBuffer) -> Double {
        let left = bytes(of: left)
        let right = bytes(of: right)
        guard left.count == right.count else { return .infinity }
        let sum = zip(left, right).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(left.count)
    }
}

/// Linear congruential numbers for mutations; the constants are Numerical Recipes'.
struct TestNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
