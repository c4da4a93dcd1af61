import Concurrency
import Lens
import Services
import Simulation
import TestSupport
import Testing

/// In a simulation in which no task has to wait for its turn, so that times are exact.
@Suite("Streaming: pictures in time", .timeLimit(.minutes(10)))
struct FrameTimeTests {
    /// A new picture each time it is looked at.
    private final class Scene: Sendable {
        /// When somebody looked.
        let looks = Box<[Duration]>([])
        let isDark: Box<Bool>

        init(isDark: Bool = false) { self.isDark = Box(isDark) }

        func frame() -> VideoFrame? {
            looks.append(Simulation.current?.now ?? .zero)
            guard !isDark.value else { return nil }
            let content = VideoFrame.Content.jpeg([UInt8(truncatingIfNeeded: looks.value.count)])
            return VideoFrame(sequence: looks.value.count, timestamp: .zero, size: nil, content: content)
        }
    }

    private static func stream(
        _ scene: Scene,
        _ model: any LiveModel,
        rate: Box<Int> = Box(LensSettings().framesPerSecond)
    ) -> StreamingSession {
        StreamingSession(
            model: model,
            encoder: PassingEncoder(),
            policy: StreamingPolicy(
                model: "test-model",
                commentary: StreamFixture.silent,
                reconnect: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4), jitter: 0)
            ),
            framesPerSecond: { rate.value },
            latestFrame: { scene.frame() }
        )
    }

    private static func gaps(_ times: [Duration]) -> [Duration] {
        zip(times, times.dropFirst()).map { $1 - $0 }
    }

    @Test("LENS-090 without a picture nothing goes out, and the loop sleeps and goes on")
    func dark() throws {
        try Simulation(seed: 1).run {
            let (scene, session) = (Scene(isDark: true), TimedSession())
            let stream = Self.stream(scene, TimedModel(session))
            try await stream.start()
            try await Task.sleep(for: .milliseconds(1_900))
            #expect(session.times.value.isEmpty)
            #expect(scene.looks.value.count == 10)
            #expect(Self.gaps(scene.looks.value).allSatisfy { $0 == .milliseconds(200) })
            #expect(stream.statistics.value.dropped[.noFrame] == 10)
            scene.isDark.set(false)
            try await Task.sleep(for: .seconds(1))
            #expect(session.times.value.count == 5)
            await stream.stop()
        }
    }

    @Test("LENS-100 at the default rate five pictures go out each second, 200 ms apart")
    func defaultRate() throws {
        try Simulation(seed: 1).run {
            let session = TimedSession()
            let stream = Self.stream(Scene(), TimedModel(session))
            try await stream.start()
            try await Task.sleep(for: .milliseconds(9_999))
            #expect(session.times.value.count == 50)
            #expect(Self.gaps(session.times.value).allSatisfy { $0 == .milliseconds(200) })
            await stream.stop()
        }
    }

    @Test(
        "LENS-101 pictures go out at the set rate, and a changed one holds from the next picture on",
        arguments: [(1, 30), (2, 10), (5, 1), (10, 2), (30, 5)]
    )
    func rates(first: Int, second: Int) throws {
        try Simulation(seed: 1).run {
            let (session, rate) = (TimedSession(), Box(first))
            let stream = Self.stream(Scene(), TimedModel(session), rate: rate)
            try await stream.start()
            let interval = [first, second].map { Duration.seconds(1) / $0 }
            // In the middle between two pictures.
            try await Task.sleep(for: interval[0] * 3 + interval[0] / 2)
            rate.set(second)
            try await Task.sleep(for: interval[0] / 2 + interval[1] * 3 + interval[1] / 2)
            let gaps = Self.gaps(session.times.value)
            let expected = Array(repeating: interval[0], count: 4) + Array(repeating: interval[1], count: 3)
            #expect(gaps.count == expected.count)
            for (gap, expected) in zip(gaps, expected) {
                #expect(abs((gap - expected) / .nanoseconds(1)) <= 2, "\(gap), not \(expected)")
            }
            await stream.stop()
        }
    }

    @Test("LENS-106 while the session is slow pictures are left out, and the newest goes out next")
    func slowPeer() throws {
        try Simulation(seed: 1).run {
            let (scene, session) = (Scene(), TimedSession(delay: .milliseconds(1_050)))
            let stream = Self.stream(scene, TimedModel(session))
            try await stream.start()
            try await Task.sleep(for: .milliseconds(11_900))
            // Each is taken when it can be sent, and no earlier: none waits.
            #expect(session.times.value == (0..<10).map { .milliseconds(1_200 * $0) })
            #expect(scene.looks.value == session.times.value)
            #expect(stream.statistics.value.dropped == [.overrun: 50])
            await stream.stop()
        }
    }

    @Test(
        "LENS-105 a picture that cannot be sent ends the session with an error, and others are tried a set number of times"
    )
    func failedSend() throws {
        try Simulation(seed: 1).run {
            let (scene, session) = (Scene(), TimedSession(isBroken: true))
            let model = TimedModel(session)
            let stream = Self.stream(scene, model)
            let states = stream.state.values()
            try await stream.start()
            try await Task.sleep(for: .seconds(3_600))
            var seen: [StreamingState] = []
            for await state in states {
                seen.append(state)
                if seen.count > 1, state.phase == .idle { break }
            }
            #expect(model.openings.value == 4 && session.closes.value == 4)
            let lost = seen.filter { $0.phase != .streaming && $0.phase != .connecting }.dropFirst()
            #expect(
                lost.map(\.phase) == [
                    .reconnecting(attempt: 1), .reconnecting(attempt: 2), .reconnecting(attempt: 3), .idle,
                ]
            )
            #expect(lost.allSatisfy { !$0.isConnected && $0.error?.code == .closed })
            #expect(lost.allSatisfy { $0.error?.closeCode == 1006 })
            #expect(stream.state.value.phase == .idle && session.times.value.isEmpty)
            let looks = scene.looks.value.count
            try await Task.sleep(for: .seconds(60))
            #expect(scene.looks.value.count == looks && model.openings.value == 4)
        }
    }
}

/// Opens the same session each time.
private struct TimedModel: LiveModel {
    let openings = Box(0)
    private let session: TimedSession

    init(_ session: TimedSession) { self.session = session }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        openings.increment()
        return session
    }
}

/// Keeps when pictures came, and says nothing.
private struct TimedSession: LiveSession {
    let times = Box<[Duration]>([])
    let closes = Box(0)
    /// Whether its socket takes nothing.
    var isBroken = false
    /// How long its socket takes for a picture.
    var delay = Duration.zero

    func send(_ input: LiveInput) async throws(LiveModelError) {
        guard case .frame = input else { return }
        guard !isBroken else { throw LiveModelError(.closed, operation: "send frame", peer: "script") }
        times.append(Simulation.current?.now ?? .zero)
        if delay > .zero { try? await Task.sleep(for: delay) }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        await Signal.waitForCancellation()
        throw LiveModelError(.cancelled, operation: "read event", peer: "script")
    }

    func close() async { closes.increment() }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code { .closed }
}
