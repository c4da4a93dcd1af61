public import Services

/// A format, a size and a rate, as they were agreed on with the driver.
public struct VideoMode: Sendable, Hashable {
    /// The four characters.
    public var format: VideoFormat
    /// Width and height.
    public var size: PixelSize
    /// Pictures each second; `nil` where the driver does not say.
    public var rate: Double?

    /// Names a mode.
    public init(format: VideoFormat, size: PixelSize, rate: Double?) {
        (self.format, self.size, self.rate) = (format, size, rate)
    }
}

extension VideoDeviceDescription {
    /// The mode that is nearest to a wish: first its size, then its rate, then the format that is preferred.
    ///
    /// - Parameter format: The only one that is allowed; `nil` for each that can be captured.
    /// - Returns: `nil` when the device has no such format.
    func nearestMode(to size: PixelSize, rate: Double, format wanted: VideoFormat?) -> VideoMode? {
        let allowed = wanted.map { [$0] } ?? VideoFormat.captured
        var modes: [VideoMode] = []
        for (format, sizes) in allowed.compactMap({ format in
            formats.first { $0.format == format }.map { (format, $0.sizes) }
        }) {
            // A driver that lists no sizes takes what it is asked for, or the nearest.
            let sizes = sizes.isEmpty ? [Size(size: size, rates: [])] : sizes
            modes += sizes.map { VideoMode(format: format, size: $0.size, rate: $0.rate(nearestTo: rate)) }
        }
        // The first of equals: in the order of preference.
        return modes.enumerated().min { left, right in
            let (a, b) = (left.element.distance(to: size, rate), right.element.distance(to: size, rate))
            return (a.pixels, a.rate, left.offset) < (b.pixels, b.rate, right.offset)
        }?.element
    }
}

extension VideoDeviceDescription.Size {
    /// The rate itself where the device has any; else the slowest that is fast enough, or the fastest.
    func rate(nearestTo wanted: Double) -> Double? {
        if let rateRange { return min(max(wanted, rateRange.lowerBound), rateRange.upperBound) }
        return rates.filter { $0 >= wanted * 0.99 }.min() ?? rates.max()
    }
}

extension VideoMode {
    fileprivate func distance(to size: PixelSize, _ wanted: Double) -> (pixels: Int, rate: Double) {
        let pixels = abs(self.size.width - size.width) + abs(self.size.height - size.height)
        return (pixels, max(0, wanted * 0.99 - (rate ?? wanted)))
    }
}
