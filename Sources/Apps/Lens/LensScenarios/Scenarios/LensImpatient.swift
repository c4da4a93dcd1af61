import Concurrency
import GeminiServer
import Lens
public import ScenarioKit
public import Services
import SimulatedDevice
import SimulatedTransport
import Simulation

/// The user taps faster than the app can follow; what is tapped last counts, and nothing is left behind.
public struct LensImpatient: LensScenario {
    /// The command-line name.
    public static let name = "lens-impatient"
    /// One sentence.
    public static let summary =
        "the user starts, stops and gives up while the app is still at it; one session at most, none left"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .fps(\.streamRate), .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 8
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
        let pace = Pace(latency: .milliseconds(Int.random(in: 1...20) * 10), isEven: Bool.random())
        options.link.latency = pace.isEven ? .constant(pace.latency) : .exponential(mean: pace.latency)
        let world = try await LensWorld.start(options)
        // The service announces the end of some sessions, so that others are opened while the user taps.
        let first = pace.upTo(.seconds(seconds)) / .seconds(1)
        world.base.arm(
            "gemini.session.goAway",
            probability: 0.5,
            values: [
                "after": first, "spread": Bool.random() ? 0 : Double(seconds) - first, "timeLeft": 1,
            ]
        )
        try await world.onPhone { try await $0.camera.connect() }
        for _ in 0..<3 {
            try await tap(world, pace)
            try await world.onPhone { await $0.stopStreaming() }
            try world.watch.checkStopped()
            try await startTwice(world)
            for _ in 0..<Int.random(in: 0...2) {
                try await startAgain(world, pace, within: .seconds(seconds))
            }
            try await Task.sleep(for: pace.upTo(.seconds(seconds)))
            try await world.onPhone { await $0.stopStreaming() }
            try world.watch.checkStopped()
            try world.watch.checkSpeech()
            let statistics = world.lens.stream.statistics.value
            let sent = statistics.framesSent + (statistics.dropped[.sendFailed] ?? 0)
            let words = world.speech.utterances
            try await Task.sleep(for: .seconds(3))
            try world.watch.checkStopped()
            try check(world.speech.utterances == words, "nothing is said after the stream was stopped", "")
            // What was sent before may still arrive.
            let received = world.gemini.record.sessions.map(\.frameCount).reduce(0, +)
            try check(
                received <= sent,
                "no picture goes out after the stream was stopped",
                "\(received) of \(sent)"
            )
        }
        try world.watch.checkConversation(waits: false)
        let sessions = world.gemini.record.sessions
        let blind = world.watch.model.heard.first { $0.text.contains("not seen a single frame") }
        try world.checkUndisturbed(
            blind == nil,
            "the model is asked when it has a picture",
            blind?.text ?? ""
        )
        try world.checkUndisturbed(
            sessions.allSatisfy { $0.close != nil },
            "no session stays open at the service",
            "\(sessions.count { $0.close == nil }) of \(sessions.count)"
        )
        try await checkEnd(world)
        return ScenarioSummary(["sessions": sessions.count])
    }

    /// An app that ends ends its stream.
    private func checkEnd(_ world: LensWorld) async throws {
        _ = try await world.attempt { try await $0.startStreaming() }
        try await world.shutdown()
        try world.watch.checkStopped()
        try check(world.cameras.on.isEmpty, "no camera stays on when the app ends", "\(world.cameras.on)")
    }

    /// Concurrent taps: start, stop, or start then cancel.
    private func tap(_ world: LensWorld, _ pace: Pace) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Int.random(in: 1...3) {
                let taps = (0..<Int.random(in: 1...3)).map { _ in
                    (kind: Int.random(in: 0...2), pause: pace.upTo(.milliseconds(600)))
                }
                group.addTask {
                    for tap in taps {
                        try await world.onPhone { app in
                            switch tap.kind {
                            case 0: try? await app.stream.start()
                            case 1: await app.stopStreaming()
                            default:
                                let start = Task { try await app.stream.start() }
                                try await Task.sleep(for: tap.pause)
                                start.cancel()
                                _ = await start.result
                            }
                            try await Task.sleep(for: tap.pause)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Two starts at once are one stream, which runs when they return.
    private func startTwice(_ world: LensWorld) async throws {
        world.watch.model.streamStarts()
        let before = world.watch.model.openings.count
        // Where one start fails the other one is cancelled, and a start that was given up takes the error of the first away.
        let runs = try await world.attempt(isStopped: true) { app in
            async let first: Void = app.stream.start()
            async let second: Void = app.stream.start()
            _ = try await (first, second)
        }
        guard runs else { return }
        let opened = world.watch.model.openings.count - before
        try check(opened == 1, "two starts open one session", "\(opened)")
        let state = world.lens.stream.state.value
        try check(state.isStreaming, "a stream that was started runs", "\(state.phase)")
    }

    /// The user stops, mostly when something changes on the screen, and starts again before the app has stopped.
    private func startAgain(
        _ world: LensWorld,
        _ pace: Pace,
        within most: Duration
    ) async throws {
        let limit = pace.upTo(most)
        let isDouble = Bool.random()
        let (screen, changes) = (Int.random(in: 0...3), Int.random(in: 0...40))
        if Bool.random() { world.network.reset("phone", "gemini") }
        let stop = Task {
            try await world.onPhone { app in
                switch screen {
                case 0: await wait(for: changes / 8, of: app.stream.state, atMost: limit)
                case 1: await wait(for: changes, of: app.stream.statistics, atMost: limit)
                case 2: await wait(for: changes, of: app.stream.latestResponse, atMost: limit)
                default: try await Task.sleep(for: limit)
                }
                async let again: Void = isDouble ? app.stopStreaming() : ()
                await app.stopStreaming()
                await again
            }
        }
        while world.lens.stream.state.value.isStreaming {
            try await Task.sleep(for: max(.milliseconds(1), pace.upTo(.milliseconds(100))))
        }
        world.watch.model.streamStarts()
        do {
            // A stream that gave up by itself is started before the tap on stop.
            _ = try await world.attempt(isStopped: true) { try await $0.stream.start() }
        } catch let error as LiveModelError where isDouble && error.code == .cancelled {
            // The second of two taps on stop may reach the app after the start.
        }
        try await stop.value
        guard !isDouble else { return }
        let state = world.lens.stream.state.value
        try world.checkUndisturbed(
            state.isStreaming,
            "a stream that was started after a stop runs",
            "\(state.phase)"
        )
    }

    /// Waits until a value has changed so many times.
    private func wait<Value>(
        for changes: Int,
        of value: Published<Value>,
        atMost limit: Duration
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var left = changes
                for await _ in value.values() {
                    if left == 0 { return }
                    left -= 1
                }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// When taps come: at any time, or in steps of the network's latency, so that they coincide with what arrives.
private struct Pace {
    var latency: Duration
    var isEven: Bool

    func upTo(_ most: Duration) -> Duration {
        guard isEven else { return .milliseconds(Int.random(in: 0...Int(most / .milliseconds(1)))) }
        return latency * Int.random(in: 0...Int(most / latency))
    }
}
