/// What the user has set.
public struct LensSettings: Sendable, Hashable, Codable {
    /// The wanted picture size.
    public var videoResolution: VideoResolution = .hd1080
    /// Whether new photos are uploaded without asking.
    public var autoUpload: Bool = false
    /// Pictures a second that are streamed: the nearest of ``frameRates`` to what is set.
    public var framesPerSecond: Int = 5 {
        didSet {
            framesPerSecond = min(
                max(framesPerSecond, Self.frameRates.lowerBound),
                Self.frameRates.upperBound
            )
        }
    }
    /// Whether replies are spoken.
    public var speechEnabled: Bool = true
    /// The camera that was last connected.
    public var lastCameraSource: CameraSourceType = .local

    /// The rates that can be set: no camera here gives more than 60 pictures a second.
    public static let frameRates = 1...60

    /// Creates the settings of a first run.
    public init() {}
}
