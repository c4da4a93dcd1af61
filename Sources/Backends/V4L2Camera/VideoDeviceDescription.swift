public import Services

/// What a video device says of itself.
public struct VideoDeviceDescription: Sendable, Hashable {
    /// The node, such as `/dev/video0`.
    public var path: String
    /// The device's name.
    public var card: String
    /// Its driver.
    public var driver: String
    /// Where it is plugged in.
    public var bus: String
    /// Whether it delivers pictures through mapped buffers; others, such as those of metadata, are no cameras.
    public var isCamera: Bool
    /// What it delivers, in the driver's order.
    public var formats: [Format]
    /// What can be changed.
    public var controls: [VideoControl]

    /// A format with its sizes.
    public struct Format: Sendable, Hashable {
        /// The four characters.
        public var format: VideoFormat
        /// In the driver's words.
        public var name: String
        /// The sizes, in the driver's order; of a range the usual ones in it, with its smallest and largest.
        public var sizes: [Size]
    }

    /// A size with its rates.
    public struct Size: Sendable, Hashable {
        /// Width and height.
        public var size: PixelSize
        /// Pictures each second, of a range its ends; none where the driver does not say.
        public var rates: [Double]
        /// What the device has every rate of, where it names a range.
        public var rateRange: ClosedRange<Double>?
    }

    /// The sizes of all formats that can be captured, the largest first.
    public var sizes: [PixelSize] {
        let all = formats.filter { VideoFormat.captured.contains($0.format) }.flatMap(\.sizes).map(\.size)
        return Set(all).sorted { ($0.area, $0.width) > ($1.area, $1.width) }
    }
}

extension VideoDeviceDescription {
    /// `zoom_absolute`, whose smallest value is a zoom of 1; of one that begins at 0 nobody knows how much it enlarges.
    var zoom: VideoControl? { controls.first { $0.id == V4L2ControlID.zoom && $0.range.lowerBound > 0 } }

    /// How much the device enlarges.
    var zoomRange: ClosedRange<Double> {
        guard let zoom else { return 1...1 }
        return 1...Double(zoom.range.upperBound) / Double(zoom.range.lowerBound)
    }
}

/// Something of a video device that can be changed, such as its brightness.
public struct VideoControl: Sendable, Hashable {
    /// The number that `linux/v4l2-controls.h` lists.
    public var id: UInt32
    /// In the driver's words, such as `Brightness`.
    public var name: String
    /// What it may be.
    public var range: ClosedRange<Int>
    /// The distance of two values, at least 1.
    public var step: Int
    /// What it is at first.
    public var usual: Int
    /// What it is now; `nil` where the driver does not say.
    public var value: Int?

    /// The name as `v4l2-ctl` writes it: `zoom_absolute` for “Zoom, Absolute”.
    public var key: String {
        var key = ""
        for character in name.lowercased() {
            if character.isASCII, character.isLetter || character.isNumber {
                key.append(character)
            } else if !key.isEmpty, key.last != "_" {
                key.append("_")
            }
        }
        return key.last == "_" ? String(key.dropLast()) : key
    }
}
