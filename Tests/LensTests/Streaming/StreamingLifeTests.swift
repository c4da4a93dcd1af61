import Concurrency
import Lens
import Services
import SimulationTesting
import Testing

@Suite("Streaming: start and stop", .simulated(seeds: 1...3, configuration: .shortWaits))
struct StreamingLifeTests {
    @Test(
        "LENS-085 LENS-115 no picture goes out before the session is open, which counts as connected to its end"
    )
    func sessionFirst() async throws {
        let session = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = StreamFixture(
            ScriptedModel([.waits(gate, session)])
        )
        #expect(!fixture.stream.state.value.isConnected)
        async let started: Void = fixture.stream.start()
        await fixture.stream.state.reaches { $0.phase == .connecting }
        for _ in 0..<100 { await Task.yield() }
        let before = fixture.stream.statistics.value
        #expect(before.framesRead == 0 && before.dropped.isEmpty)
        #expect(!fixture.stream.state.value.isConnected)

        gate.set(true)
        try await started
        #expect(fixture.stream.state.value.isConnected)
        await session.sent.reaches { !$0.isEmpty }
        #expect(fixture.stream.statistics.value.sessionsOpened == 1)
        await fixture.stream.stop()
        #expect(!fixture.stream.state.value.isConnected)
    }

    @Test(
        "LENS-087 a session that cannot be opened leaves no stream, and its error is published",
        arguments: [LiveModelError.Code.missingKey, .invalidKey, .timedOut, .unreachable]
    )
    func refused(code: LiveModelError.Code) async {
        let refusal = LiveModelError(code, operation: "open session", peer: "script")
        let fixture = StreamFixture(ScriptedModel([.refuses(refusal)]))
        await #expect(throws: refusal) { try await fixture.stream.start() }
        #expect(fixture.stream.state.value.error == refusal)
        #expect(!fixture.stream.state.value.isStreaming)
        for _ in 0..<100 { await Task.yield() }
        let statistics = fixture.stream.statistics.value
        #expect(statistics.framesRead == 0 && statistics.dropped.isEmpty)
    }

    @Test("a stream that is stopped while it tells of its own end tells of it once")
    func endsOnce() async throws {
        let session = ScriptedSession()
        let listener = SlowListener()
        let stream = StreamingSession(
            model: ScriptedModel(sessions: [session]),
            encoder: PassingEncoder(),
            policy: StreamingPolicy(
                model: "test-model",
                commentary: StreamFixture.silent,
                reconnect: RetryPolicy(retries: 0, first: .zero, longest: .zero)
            ),
            listeners: [listener],
            framesPerSecond: { 5 },
            latestFrame: { nil }
        )
        try await stream.start()
        session.say(.closed(code: 1006, reason: ""))
        await listener.ends.reaches { $0 == 1 }
        async let stopped: Void = stream.stop()
        await stream.state.reaches { $0.phase == .stopping }
        listener.gate.set(true)
        await stopped
        #expect(listener.ends.value == 1)
    }

    @Test("a stream that could not start can be started again")
    func startsAfterRefusal() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(
            ScriptedModel([
                .refuses(LiveModelError(.unreachable, operation: "open session", peer: "script")),
                .opens(session),
            ])
        )
        try? await fixture.stream.start()
        try await fixture.stream.start()
        #expect(fixture.stream.state.value.isConnected)
        #expect(fixture.stream.state.value.error == nil)
        await fixture.stream.stop()
    }

    @Test("LENS-103 stopping closes the session, and no picture goes out afterwards")
    func stop() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        #expect(!fixture.stream.state.value.isConnected)
        try await fixture.stream.start()
        #expect(fixture.stream.state.value.isConnected)
        // Stop in the worst moment: while a picture waits to be accepted.
        session.accepts.set(false)
        let offered = session.offered.value
        fixture.camera.show(2)
        await session.offered.reaches { $0 > offered || session.frames.contains([2]) }

        await fixture.stream.stop()
        let (sent, offers) = (session.sent.value, session.offered.value)
        session.accepts.set(true)
        fixture.camera.show(3)
        for _ in 0..<100 { await Task.yield() }
        #expect(session.sent.value == sent)
        #expect(session.offered.value == offers)
        #expect(session.closes.value == 1)
        #expect(!fixture.stream.state.value.isConnected)
        #expect(!fixture.stream.state.value.isStreaming)
        #expect(fixture.replies.entries.value.last == .streamEnded)
    }

    @Test("a picture that was being encoded at the stop does not go out")
    func stopWhileEncoding() async throws {
        let session = ScriptedSession()
        let encoder = GatedEncoder()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]), encoder: encoder)
        try await fixture.stream.start()
        await encoder.isBusy.reaches { $0 }
        async let stopped: Void = fixture.stream.stop()
        await fixture.stream.state.reaches { $0.phase == .stopping }
        encoder.gate.set(true)
        await stopped
        #expect(session.offered.value == 0 && session.frames.isEmpty)
    }

    @Test("starting twice gives one session, and stopping twice is harmless")
    func twice() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session, ScriptedSession()]))
        async let first: Void = fixture.stream.start()
        async let second: Void = fixture.stream.start()
        _ = try await (first, second)
        try await fixture.stream.start()
        #expect(fixture.model.configurations.count == 1)

        async let stop: Void = fixture.stream.stop()
        async let again: Void = fixture.stream.stop()
        _ = await (stop, again)
        await fixture.stream.stop()
        #expect(session.closes.value == 1)
    }

    @Test("stopping while the session is being opened closes what was opened and tells the starter")
    func stopWhileConnecting() async {
        let session = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = StreamFixture(
            ScriptedModel([.waits(gate, session)])
        )
        let starting = Task { try await fixture.stream.start() }
        await fixture.stream.state.reaches { $0.phase == .connecting }
        async let stopped: Void = fixture.stream.stop()
        await fixture.stream.state.reaches { $0.phase == .stopping }
        gate.set(true)
        await stopped
        await #expect(throws: LiveModelError.self) { try await starting.value }
        #expect(session.closes.value == 1)
        #expect(session.sent.value.isEmpty)
        #expect(fixture.stream.state.value.phase == .idle)
    }

    @Test func `a starter that is cancelled leaves alone, and the stream starts for the others`() async throws
    {
        let (session, gate) = (ScriptedSession(), CurrentValue(false))
        let fixture = StreamFixture(ScriptedModel([.waits(gate, session)]))
        let starters = (0..<3).map { _ in Task.immediate { try await fixture.stream.start() } }
        await fixture.stream.state.reaches { $0.phase == .connecting }
        for _ in 0..<100 { await Task.yield() }
        for starter in starters.dropLast() { starter.cancel() }
        for starter in starters.dropLast() {
            let error = await #expect(throws: LiveModelError.self) { try await starter.value }
            #expect(error?.code == .cancelled)
        }
        #expect(fixture.stream.state.value.phase == .connecting)
        gate.set(true)
        try await starters[2].value
        #expect(fixture.stream.state.value.phase == .streaming)
        #expect(fixture.model.configurations.count == 1)
        await fixture.stream.stop()
    }

    @Test func `when the last starter is cancelled nothing streams, and what was opened is closed`()
        async throws
    {
        let (session, gate) = (ScriptedSession(), CurrentValue(false))
        let next = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel([.waits(gate, session), .opens(next)]))
        let starter = Task.immediate { try await fixture.stream.start() }
        await fixture.stream.state.reaches { $0.phase == .connecting }
        starter.cancel()
        await #expect(throws: LiveModelError.self) { try await starter.value }
        // One who comes now wants a session of its own.
        let late = Task.immediate { try await fixture.stream.start() }
        gate.set(true)
        try await late.value
        #expect(session.closes.value == 1 && session.sent.value.isEmpty)
        #expect(next.closes.value == 0)
        #expect(fixture.stream.state.value.phase == .streaming)
        await fixture.stream.stop()
        #expect(next.closes.value == 1)
    }

    @Test("a stopped stream can be started again")
    func restart() async throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let fixture = StreamFixture(ScriptedModel(sessions: sessions))
        try await fixture.stream.start()
        await sessions[0].sent.reaches { !$0.isEmpty }
        await fixture.stream.stop()
        try await fixture.stream.start()
        await sessions[1].sent.reaches { !$0.isEmpty }
        await fixture.stream.stop()
        #expect(sessions.map(\.closes.value) == [1, 1])
    }
}

/// Encodes when the test opens the gate, cancelled or not.
private struct GatedEncoder: FrameEncoder {
    let gate = CurrentValue(false)
    let isBusy = CurrentValue(false)

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        isBusy.set(true)
        await Task { await gate.reaches { $0 } }.value
        return try await PassingEncoder().encode(frame)
    }
}

/// Takes its time over the end of a stream.
private final class SlowListener: ReplyListener {
    let ends = CurrentValue(0)
    let gate = CurrentValue(false)

    func replyBegan() async {}
    func replyGrew(by chunk: String) async {}
    func replyInterrupted() async {}
    func replyEnded(_ reply: FinishedReply) async {}
    func streamEnded() async {
        ends.update { $0 += 1 }
        await gate.reaches { $0 }
    }
}
