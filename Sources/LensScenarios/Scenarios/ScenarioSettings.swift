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

    /// As text, for a session file.
    public var parameters: [String: String] {
        [
            "seconds": "\(seconds)", "width": "\(size.width)", "height": "\(size.height)",
            "streamRate": "\(streamRate)", "prepared": "\(usesPreparedFrames)",
        ]
    }

    /// Reads what ``parameters`` wrote; what is missing keeps its default.
    public init(parameters: [String: String]) {
        self.init()
        func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }
        seconds = number("seconds") ?? seconds
        size = PixelSize(width: number("width") ?? size.width, height: number("height") ?? size.height)
        streamRate = number("streamRate") ?? streamRate
        usesPreparedFrames = parameters["prepared"] == "true"
    }
}
