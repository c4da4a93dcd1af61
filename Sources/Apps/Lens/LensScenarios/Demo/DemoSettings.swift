import GeminiServer
import Lens
public import ScenarioKit
public import Services

/// What a demonstration does.
public struct DemoSettings: Configurable {
    /// The name under which demonstrations stand in recordings.
    public static let name = "demo"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds, in: 1...3600), .fps(\.streamRate), .size(\.size), .pictures(\.input),
        .model(\.model),
        Setting("scene", \.scene, "What the fake camera sees."),
        Setting("speaks", \.speaks, "Voice and recognizer are real, and the user asks a question aloud."),
    ]

    /// How long it streams, in seconds.
    public var seconds = 8
    /// The picture size of the fake camera.
    public var size = PixelSize(width: 640, height: 360)
    /// What the fake camera sees.
    public enum Scene: String, CaseIterable, Sendable {
        /// A drawn living room.
        case room
        /// Moving shapes, as in recordings of former versions.
        case shapes
    }

    /// What the fake camera sees.
    public var scene = Scene.room
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// Photographs, a Motion-JPEG file or a video device, which is a path in `/dev`, instead of the fake camera.
    public var input: String?
    /// The live model that is asked, with or without `models/`.
    public var model = LensOptions.modelName
    /// Whether voice and recognizer are real, and the user asks a question aloud.
    public var speaks = false
    /// Decides the fake camera's scene, and everything else that is left to chance; in a folder of earlier runs, together
    /// with the time of the run.
    public var seed: UInt64 = 1

    /// Makes settings with their defaults.
    public init() {}

    /// Makes settings.
    public init(
        seconds: Int = 8,
        size: PixelSize = PixelSize(width: 640, height: 360),
        streamRate: Int = 5,
        input: String? = nil,
        model: String = LensOptions.modelName,
        speaks: Bool = false,
        seed: UInt64 = 1
    ) {
        self.seconds = seconds
        self.size = size
        self.streamRate = streamRate
        self.input = input
        self.model = model
        self.speaks = speaks
        self.seed = seed
    }

    /// Whether a text can be a model's name: 1 to 200 visible characters of ASCII.
    public static func isModelName(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Reads recordings of former versions too.
    public static func current(_ recorded: [String: String]) -> [String: String] {
        var settings = currentNames(of: recorded)
        settings["scene"] = settings["scene"] ?? Scene.shapes.rawValue
        return settings
    }

    /// The world that it runs in.
    public var options: LensOptions {
        var options = LensOptions()
        options.size = size
        options.streamRate = streamRate
        options.scene = input.map { .input(path: $0) } ?? (scene == .room ? .room : .shapes(detail: 0.4))
        options.script = GeminiScript(brain: AssistantBrain())
        // Photographs are shown one a tick, so that each of them is seen.
        if input != nil { options.cameraRate = Double(streamRate) }
        options.adjust = { [model, speaks] environment in
            environment.streaming.model = model
            // The recognizer is a program, which takes longer to begin on a machine with more to do; the user always speaks.
            if speaks { environment.hearingPatience = .seconds(60) }
        }
        return options
    }
}
