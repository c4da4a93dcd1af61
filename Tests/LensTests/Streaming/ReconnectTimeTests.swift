import Concurrency
import Lens
import Services
import Simulation
import Synchronization
import Testing

/// Opens one session, which is lost at once, and none after it; keeps when it was asked.
private final class ClockedModel: LiveModel {
    let times = Mutex<[Duration]>([])
    private let session = ScriptedSession()

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        let isFirst = times.withLock { times in
            times.append(Simulation.current?.now ?? .zero)
            return times.count == 1
        }
        guard isFirst else {
            throw LiveModelError(.unreachable, operation: "open session", peer: "clocked model")
        }
        session.say(.closed(code: 1006, reason: ""))
        return session
    }
}

/// Opens a session each time, which is lost after a while.
private final class LosingModel: LiveModel {
    let opened = Mutex(0)
    private let life: Duration

    init(losingAfter life: Duration) { self.life = life }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        opened.withLock { $0 += 1 }
        let session = ScriptedSession()
        Task { [life] in
            try? await Task.sleep(for: life)
            session.say(.closed(code: 1006, reason: ""))
        }
        return session
    }
}

@Suite("Streaming: waits before reconnecting")
struct ReconnectTimeTests {
    @Test func `each further attempt waits twice as long, up to the longest wait`() throws {
        let model = ClockedModel()
        try Simulation(seed: 1).run {
            let stream = StreamingSession(
                model: model,
                encoder: PassingEncoder(),
                policy: StreamingPolicy(
                    model: "test-model",
                    commentary: StreamFixture.silent,
                    reconnect: RetryPolicy(retries: 5, first: .seconds(1), longest: .seconds(5), jitter: 0),
                    handleWait: .zero
                ),
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            try await stream.start()
            await stream.state.reaches { $0.phase == .idle }
        }
        let times = model.times.withLock { $0 }
        let waits = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5)])
    }

    @Test(arguments: [(Duration.seconds(29), 3), (.seconds(30), 11)])
    func `only a session that lived long enough begins a new count of attempts`(
        _ life: Duration,
        _ expected: Int
    ) throws {
        let model = LosingModel(losingAfter: life)
        try Simulation(seed: 1).run {
            let stream = StreamingSession(
                model: model,
                encoder: PassingEncoder(),
                policy: StreamingPolicy(
                    model: "test-model",
                    commentary: StreamFixture.silent,
                    reconnect: RetryPolicy(retries: 2, first: .zero, longest: .zero),
                    healthyAfter: .seconds(30),
                    handleWait: .zero
                ),
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            try await stream.start()
            try await Task.sleep(for: .seconds(315))
            await stream.stop()
        }
        #expect(model.opened.withLock { $0 } == expected)
    }
}
