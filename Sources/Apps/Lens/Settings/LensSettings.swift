/// What the user has set.
public struct LensSettings: Sendable, Hashable {
    /// The wanted picture size.
    public var videoResolution: VideoResolution = .hd1080
    /// Whether new photos are uploaded without asking.
    public var autoUpload: Bool = false
    /// Pictures a second that are streamed; below 1 counts as 1.
    public var framesPerSecond: Int = 5
    /// Whether replies are spoken.
    public var speechEnabled: Bool = true
    /// The camera that was last connected.
    public var lastCameraSource: CameraSourceType = .local

    /// Creates the settings of a first run.
    public init() {}
}
