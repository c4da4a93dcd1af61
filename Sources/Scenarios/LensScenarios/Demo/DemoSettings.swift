import GeminiLive
public import Services

/// What a demonstration does.
public struct DemoSettings: Sendable {
    /// How long it streams, in seconds.
    public var seconds: Int
    /// The picture size of the fake camera.
    public var size: PixelSize
    /// Frames a second that are streamed.
    public var streamRate: Int
    /// Photographs or a Motion-JPEG file instead of the fake camera.
    public var input: String?
    /// Decides the fake camera's scene, and everything else that is left to chance.
    public var seed: UInt64

    /// Makes settings.
    public init(
        seconds: Int = 8,
        size: PixelSize = PixelSize(width: 640, height: 360),
        streamRate: Int = 5,
        input: String? = nil,
        seed: UInt64 = 1
    ) {
        self.seconds = seconds
        self.size = size
        self.streamRate = streamRate
        self.input = input
        self.seed = seed
    }

    /// The world that it runs in.
    public var options: LensOptions {
        var options = LensOptions()
        options.size = size
        options.streamRate = streamRate
        options.scene = input.map { .input(path: $0) } ?? .shapes(detail: 0.4)
        // Photographs are shown one a tick, so that each of them is seen.
        if input != nil { options.cameraRate = Double(streamRate) }
        return options
    }

    /// As text, for a recording.
    func parameters(_ addresses: LensAddresses) -> [String: String] {
        [
            "seconds": "\(seconds)", "width": "\(size.width)", "height": "\(size.height)",
            "streamRate": "\(streamRate)", "input": input == nil ? "" : "pictures",
            "gemini": addresses.gemini.authority, "geminiIsSecure": "\(addresses.gemini.isSecure)",
            "geminiVersion": addresses.gemini.version, "supabase": addresses.supabase ?? "",
        ]
    }

    /// Reads what ``parameters(_:)`` wrote.
    init(parameters: [String: String], seed: UInt64) throws(SettingOutOfRange) {
        self.init(seed: seed)
        let recorded = RecordedSettings(parameters: parameters)
        seconds = try recorded.number("seconds", in: RecordedSettings.realSeconds) ?? seconds
        size = try recorded.size(fallback: size)
        streamRate = try recorded.number("streamRate", in: RecordedSettings.rates) ?? streamRate
        input = parameters["input"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
