import AppKernel
internal import Concurrency
import GeminiServer
import Lens
import Probes
public import ScenarioKit
public import Services
import SimulatedDevice
import SimulatedTransport
import Simulation

/// A long stream through everything that a network and a service can do to it; the user stops and starts it meanwhile.
public struct LensRoughStream: LensScenario {
    /// The command-line name.
    public static let name = "lens-rough-stream"
    /// One sentence.
    public static let summary =
        "a long stream meets closes, drops, stalls and refusals; nothing is lost, doubled or left open"
    /// What a sweep over it should reach.
    public static let expects = [
        "a stream is given up", "a session goes on with a handle", "an answer is cut off",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .fps(\.streamRate), .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 120
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        world.armModelTrouble()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        while clock.now < end {
            try await stream(
                world,
                for: .milliseconds(Int.random(in: 0...[20_000, 80_000][Int.random(in: 0...1)]))
            )
        }
        Simulation.current?.heal()
        try await checkRecovery(world)
        try world.watch.checkConversation()
        try world.watch.checkSpeech()
        let answers = world.watch.model.heard
        sometimes(
            "a session goes on with a handle",
            world.watch.model.openings.contains { $0.resumption != nil }
        )
        sometimes("an answer is cut off", answers.contains { !$0.isComplete })
        try checkFrames(world)
        // What the conversation was is what it is after the app was killed.
        let before = world.lens.conversation.content.value.messages
        try await world.restartPhone()
        let after = world.lens.conversation.content.value.messages
        try check(
            before == after,
            "a conversation survives the app's end",
            "\(after.count) of \(before.count)"
        )
        try await world.shutdown()
        return ScenarioSummary([
            "sessions": world.gemini.record.sessions.count, "answers": answers.count,
        ])
    }

    /// Streams for a while, and stops; a service that cannot be reached is no failure of the app.
    private func stream(_ world: LensWorld, for time: Duration) async throws {
        let before = world.watch.model.openings.count
        world.watch.model.streamStarts()
        do { try await world.onPhone { try await $0.startStreaming() } } catch is LiveModelError {
            try check(
                world.lens.stream.state.value.error != nil,
                "an app that cannot stream says why",
                "\(world.lens.stream.state.value.phase)"
            )
            try await Task.sleep(for: .seconds(1))
            return
        }
        try check(
            world.watch.model.openings.count > before,
            "a stream that is started opens a session",
            "\(world.lens.stream.state.value.phase)"
        )
        let resets = Bool.random()
        let reset = time * Double.random(in: 0...1)
        try await Task.sleep(for: reset)
        if resets { world.network.reset("phone", "gemini") }
        try await Task.sleep(for: time - reset)
        let state = world.lens.stream.state.value
        if state.phase == .idle {
            sometimes("a stream is given up")
            try check(state.error != nil, "an app that gives up says why", "\(state.phase)")
            // Nothing runs any more: the user may start again at once.
            if Bool.random() { return }
        }
        try await stop(world)
    }

    private func stop(_ world: LensWorld) async throws {
        try await world.onPhone { await $0.stopStreaming() }
        try world.watch.checkStopped()
        let sent = world.lens.stream.statistics.value.framesSent
        let spoken = world.speech.utterances.count
        try await Task.sleep(for: .seconds(3))
        try world.watch.checkStopped()
        let more = world.lens.stream.statistics.value.framesSent - sent
        try check(more == 0, "no frame goes out after the stream was stopped", "\(more)")
        try check(world.speech.utterances.count == spoken, "nothing is said after the stream was stopped", "")
    }

    /// A stream that is begun when all is well again lasts, and the model answers.
    private func checkRecovery(_ world: LensWorld) async throws {
        try await Task.sleep(for: .seconds(40))
        // A huge message on its way over a bad connection keeps it busy for minutes.
        for link in [
            world.network.link(from: "phone", to: "gemini"), world.network.link(from: "gemini", to: "phone"),
        ] {
            try await Task.sleep(for: link.backlog)
        }
        let heard = world.watch.model.heard.count
        world.watch.model.streamStarts()
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(20))
        let state = world.lens.stream.state.value
        try check(
            state.isConnected,
            "a stream lasts when all is well",
            "\(state.phase), \(state.error.map { "\($0)" } ?? "no error")"
        )
        let answers = world.watch.model.heard.dropFirst(heard)
        try check(
            !answers.isEmpty,
            "the model is asked",
            "\(answers.count) answers in 20 seconds"
        )
        try world.checkUndisturbed(
            answers.count >= 2,
            "the model is asked again",
            "\(answers.count) answers in 20 seconds"
        )
        try check(
            answers.dropLast().allSatisfy(\.isComplete),
            "answers come whole when all is well",
            "\(answers.map(\.isComplete))"
        )
        try await stop(world)
        // A service does not learn of the end of a connection whose last words were lost.
        let open = world.gemini.record.sessions.count { $0.close == nil }
        try world.checkUndisturbed(
            open == 0,
            "no session stays open at the service",
            "\(open) of \(world.gemini.record.sessions.count)"
        )
    }

    private func checkFrames(_ world: LensWorld) throws {
        let statistics = world.lens.stream.statistics.value
        let received = world.gemini.record.sessions.map(\.frameCount).reduce(0, +)
        let tried = statistics.framesSent + (statistics.dropped[.sendFailed] ?? 0)
        try check(received <= tried, "no frame arrives that was not sent", "\(received) of \(tried)")
        try check(
            statistics.dropped[.encoding] == nil,
            "every picture can be encoded",
            "\(statistics.dropped)"
        )
    }
}
