import AppKernel
internal import Concurrency
import GeminiServer
import Lens
public import ScenarioKit
public import Services
import SimulatedTransport

/// The link falls in the middle of a stream, and the session goes on.
public struct LensDropResumes: LensScenario {
    /// The command-line name.
    public static let name = "lens-drop-resumes"
    /// One sentence.
    public static let summary =
        "the connection to Gemini breaks; the stream resumes, and no frame is duplicated"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .fps(\.streamRate), .size(\.size),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 30
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        // Faster than the stream, or slower, so that some ticks have no new picture.
        options.cameraRate = [3, 30][Int.random(in: 0...1)]
        let world = try await LensWorld.start(options)
        guard try await world.attempt({ try await $0.startStreaming() }) else {
            return try await world.endEarly()
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 1_000...12_000)))
        world.network.reset("phone", "gemini")
        try await Task.sleep(for: .seconds(seconds))
        let state = world.lens.stream.state.value
        try world.checkStream()
        try world.checkUndisturbed(state.isConnected, "the stream is connected again", "\(state.phase)")
        try await world.onPhone { await $0.stopStreaming() }
        let record = world.gemini.record
        try world.watch.checkStopped()
        try world.watch.checkConversation()
        try world.watch.checkSpeech()
        try world.checkUndisturbed(
            record.sessions.count == 2,
            "one session is lost and one opened",
            "\(record.sessions.count)"
        )
        try record.checkOrder()
        let numbers = record.sessions.flatMap(\.frames).compactMap(\.inspection.number)
        try world.checkUndisturbed(
            zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
            "frames arrive at most once, in order, over both sessions",
            "\(numbers)"
        )
        let sent = world.lens.stream.statistics.value.framesSent
        try await world.shutdown()
        return ScenarioSummary(["frames sent": sent, "sessions": record.sessions.count])
    }
}
