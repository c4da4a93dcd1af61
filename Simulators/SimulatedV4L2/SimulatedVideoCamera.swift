import CV4L2
public import Services

/// What a simulated video device is, and what it delivers.
public struct SimulatedVideoCamera: Sendable {
    /// A format, with the sizes and rates that it has.
    public struct Format: Sendable {
        /// The four characters of `linux/videodev2.h`, such as `YUYV`.
        public var code: String
        /// Its sizes.
        public var sizes: [PixelSize]
        /// Pictures each second, of each size.
        public var rates: [UInt32]
        /// Where every rate between two is possible, in place of ``rates``; the first of them is its usual one as far as the range has it.
        public var rateRange: ClosedRange<UInt32>?

        /// Describes a format.
        public init(
            _ code: String,
            _ sizes: [PixelSize],
            rates: [UInt32] = [30, 15],
            rateRange: ClosedRange<UInt32>? = nil
        ) {
            (self.code, self.sizes, self.rates, self.rateRange) = (code, sizes, rates, rateRange)
        }

        /// The rate of which nobody has asked for another.
        var usualRate: UInt32 {
            let usual = rates.first ?? 30
            return rateRange.map { min(max(usual, $0.lowerBound), $0.upperBound) } ?? usual
        }
    }

    /// A number that can be changed.
    public struct Control: Sendable {
        /// As in `linux/v4l2-controls.h`.
        public var id: UInt32
        /// In the driver's words.
        public var name: String
        /// What it may be.
        public var range: ClosedRange<Int32>
        /// What it is at first.
        public var usual: Int32

        /// Describes a control.
        public init(_ id: UInt32, _ name: String, _ range: ClosedRange<Int32>, usual: Int32) {
            (self.id, self.name, self.range, self.usual) = (id, name, range, usual)
        }

        /// The zoom of a lens, four times at most.
        public static let zoom = Control(CV4L2_ZOOM_ABSOLUTE, "Zoom, Absolute", 100...400, usual: 100)
        /// The brightness.
        public static let brightness = Control(V4L2_CID_BRIGHTNESS_ID, "Brightness", -64...64, usual: 0)
        private static let V4L2_CID_BRIGHTNESS_ID: UInt32 = 0x0098_0900
    }

    /// The device's name.
    public var card: String
    /// What it delivers.
    public var formats: [Format]
    /// What can be changed.
    public var controls: [Control]
    /// Whether it delivers pictures; others are such as the metadata of a camera.
    public var isCapture: Bool
    /// Bytes behind each row.
    public var padding: Int
    /// The JPEG files of formats that have some, one after the other.
    public var files: [[UInt8]]

    /// Describes a device.
    public init(
        card: String = "Simulated Camera",
        formats: [Format] = [Format("YUYV", [PixelSize(width: 64, height: 48)])],
        controls: [Control] = [],
        isCapture: Bool = true,
        padding: Int = 0,
        files: [[UInt8]] = []
    ) {
        self.card = card
        self.formats = formats
        self.controls = controls
        self.isCapture = isCapture
        self.padding = padding
        self.files = files
    }

    /// What each byte of a picture that is no file is, by the driver's number of it.
    public static func shade(of sequence: UInt32) -> UInt8 { UInt8(40 + sequence % 160) }
}
