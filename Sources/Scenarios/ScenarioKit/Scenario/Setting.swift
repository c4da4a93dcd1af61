public import Services

/// What one may change about a scenario from outside.
public struct ScenarioSettings: Sendable, Hashable {
    /// How long it streams, in virtual seconds.
    public var seconds: Int
    /// The camera's picture size.
    public var size: PixelSize
    /// Frames a second that are streamed.
    public var streamRate: Int
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames: Bool

    /// Makes settings.
    public init(
        seconds: Int = 10,
        size: PixelSize = PixelSize(width: 320, height: 180),
        streamRate: Int = 5,
        usesPreparedFrames: Bool = false
    ) {
        self.seconds = seconds
        self.size = size
        self.streamRate = streamRate
        self.usesPreparedFrames = usesPreparedFrames
    }

    /// As text, for a recording.
    public var parameters: [String: String] {
        [
            "seconds": "\(seconds)", "width": "\(size.width)", "height": "\(size.height)",
            "streamRate": "\(streamRate)", "prepared": "\(usesPreparedFrames)",
        ]
    }

    /// Reads what ``parameters`` wrote; what is missing keeps its default.
    ///
    /// - Throws: ``SettingOutOfRange``.
    public init(parameters: [String: String]) throws(SettingOutOfRange) {
        self.init()
        let recorded = RecordedSettings(parameters: parameters)
        seconds = try recorded.number("seconds", in: RecordedSettings.simulatedSeconds) ?? seconds
        size = try recorded.size(fallback: size)
        streamRate = try recorded.number("streamRate", in: RecordedSettings.rates) ?? streamRate
        usesPreparedFrames = parameters["prepared"] == "true"
    }
}
