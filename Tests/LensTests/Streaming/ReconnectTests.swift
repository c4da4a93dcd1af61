import Concurrency
import Lens
import Services
import SimulationTesting
import Testing

@Suite("Streaming: lost sessions", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ReconnectTests {
    @Test("LENS-114 a close by the server ends a stream that may not reconnect, and its code is kept")
    func closed() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        session.say(.text("I was ab"), .closed(code: 1011, reason: "overloaded"))
        await fixture.replies.entries.reaches { $0.last == .streamEnded }
        #expect(fixture.stream.state.value.phase == .idle)
        #expect(fixture.stream.state.value.error?.closeCode == 1011)
        #expect(fixture.stream.state.value.error?.detail == "overloaded")
        #expect(fixture.replies.entries.value.contains(.ended("I was ab", .cutOff)))
        #expect(!fixture.stream.state.value.isConnected)
        #expect(session.closes.value == 1)
        let offered = session.offered.value
        let reads = fixture.stream.statistics.value.framesRead
        fixture.camera.show(2)
        for _ in 0..<100 { await Task.yield() }
        #expect(session.offered.value == offered && fixture.stream.statistics.value.framesRead == reads)
    }

    @Test("the close code is kept also when a send fails before the close is read")
    func sendFailsFirst() async throws {
        let session = ScriptedSession()
        session.failsSends.set(true)
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        await fixture.stream.statistics.reaches { $0.dropped[.sendFailed] == 1 }
        session.say(.closed(code: 1007, reason: "refused"))
        await fixture.replies.entries.reaches { $0.last == .streamEnded }
        #expect(fixture.stream.state.value.error?.closeCode == 1007)
    }

    @Test("a dropped session is opened again with its newest handle, after the old one is closed")
    func resumes() async throws {
        let first = ScriptedSession()
        let second = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = StreamFixture(
            ScriptedModel([.opens(first), .waits(gate, second)]),
            retries: 2
        )
        try await fixture.stream.start()
        first.say(.resumable(handle: "old"), .resumable(handle: "new"), .closed(code: 1006, reason: ""))
        await fixture.stream.state.reaches { $0.phase == .reconnecting(attempt: 1) }
        #expect(fixture.stream.state.value.error?.closeCode == 1006)
        await first.closes.reaches { $0 == 1 }
        fixture.camera.show(2)
        gate.set(true)
        await second.sent.reaches { !$0.isEmpty }
        #expect(fixture.model.configurations.map(\.resumption) == [nil, "new"])
        await fixture.stream.state.reaches { $0.isConnected && $0.error == nil }
        await fixture.stream.stop()
        #expect(second.closes.value == 1)
    }

    @Test(
        "a picture that the camera still shows goes again to a new session, and not to one that goes on",
        arguments: [true, false]
    )
    func stillPicture(goesOn: Bool) async throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let fixture = StreamFixture(ScriptedModel(sessions: sessions), retries: 1)
        try await fixture.stream.start()
        await sessions[0].sent.reaches { $0.contains(.frame([1])) }
        if goesOn { sessions[0].say(.resumable(handle: "h")) }
        sessions[0].say(.closed(code: 1006, reason: ""))
        await fixture.stream.statistics.reaches { $0.sessionsOpened == 2 }
        let before = fixture.stream.statistics.value.dropped[.unchanged, default: 0]
        await fixture.stream.statistics.reaches { $0.dropped[.unchanged, default: 0] >= before + 3 }
        #expect(sessions[1].frames == (goesOn ? [] : [[1]]))
        fixture.camera.show(2)
        await sessions[1].sent.reaches { $0.contains(.frame([2])) }
        await fixture.stream.stop()
    }

    @Test("reconnecting is given up after the set number of attempts")
    func bounded() async throws {
        let session = ScriptedSession()
        // The script has one session only: every later opening is unreachable.
        let fixture = StreamFixture(ScriptedModel(sessions: [session]), retries: 3)
        try await fixture.stream.start()
        session.say(.closed(code: 1006, reason: ""))
        await fixture.replies.entries.reaches { $0.last == .streamEnded }
        #expect(fixture.model.configurations.count == 4)
        #expect(fixture.stream.state.value.error?.code == .unreachable)
        #expect(fixture.stream.state.value.phase == .idle)
    }

    @Test("a session that is lost at once each time does not reconnect forever")
    func flapping() async throws {
        let sessions = (0..<10).map { _ in ScriptedSession() }
        for session in sessions { session.say(.closed(code: 1006, reason: "")) }
        let fixture = StreamFixture(ScriptedModel(sessions: sessions), retries: 4)
        try await fixture.stream.start()
        await fixture.replies.entries.reaches { $0.last == .streamEnded }
        #expect(fixture.model.configurations.count == 5)
    }

    @Test("a refused configuration is not tried again", arguments: [1003, 1007] as [UInt16])
    func permanent(code: UInt16) async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session, ScriptedSession()]), retries: 3)
        try await fixture.stream.start()
        session.say(.closed(code: code, reason: "API key expired."))
        await fixture.replies.entries.reaches { $0.last == .streamEnded }
        #expect(fixture.model.configurations.count == 1)
        #expect(fixture.stream.state.value.error?.closeCode == code)
    }

    @Test("a handle that the service no longer knows is dropped", arguments: [1008, 1011] as [UInt16])
    func staleHandle(code: UInt16) async throws {
        let sessions = (0..<3).map { _ in ScriptedSession() }
        let fixture = StreamFixture(ScriptedModel(sessions: sessions), retries: 3)
        try await fixture.stream.start()
        sessions[0].say(.resumable(handle: "h"), .closed(code: 1006, reason: ""))
        sessions[1].say(.closed(code: code, reason: "session not found"))
        await sessions[2].sent.reaches { !$0.isEmpty }
        #expect(fixture.model.configurations.map(\.resumption) == [nil, "h", nil])
        await fixture.stream.stop()
    }

    @Test func `an empty handle does not take the place of the last one`() async throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let fixture = StreamFixture(ScriptedModel(sessions: sessions), retries: 1)
        try await fixture.stream.start()
        sessions[0].say(.resumable(handle: "h"), .resumable(handle: ""), .closed(code: 1006, reason: ""))
        await sessions[1].sent.reaches { !$0.isEmpty }
        #expect(fixture.model.configurations.map(\.resumption) == [nil, "h"])
        await fixture.stream.stop()
    }

    @Test("an announced close is handled between two replies")
    func farewell() async throws {
        let first = ScriptedSession()
        let second = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [first, second]), retries: 1)
        try await fixture.stream.start()
        first.say(.text("Half a "), .goingAway(timeLeft: .seconds(60)))
        await fixture.replies.entries.reaches { $0.contains(.grew("Half a ")) }
        #expect(fixture.model.configurations.count == 1)
        first.say(.text("reply."), .resumable(handle: "h"), .turnComplete)
        await second.sent.reaches { !$0.isEmpty }
        #expect(fixture.replies.entries.value.contains(.ended("Half a reply.", .complete)))
        #expect(fixture.model.configurations.map(\.resumption) == [nil, "h"])
        #expect(first.closes.value == 1)
        await fixture.stream.stop()
    }

    @Test("a close that comes before the reply's end is met in time")
    func hastyFarewell() async throws {
        let first = ScriptedSession()
        let second = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [first, second]), retries: 1)
        try await fixture.stream.start()
        // Less than the margin is left, so there is no waiting for the reply.
        first.say(.text("Half a "), .goingAway(timeLeft: .seconds(1)))
        await second.sent.reaches { !$0.isEmpty }
        #expect(fixture.replies.entries.value.contains(.ended("Half a ", .cutOff)))
        await fixture.stream.stop()
    }

    @Test("stopping while waiting to reconnect ends at once")
    func stopWhileReconnecting() async throws {
        let session = ScriptedSession()
        let stream = StreamingSession(
            model: ScriptedModel(sessions: [session]),
            encoder: PassingEncoder(),
            policy: StreamingPolicy(
                model: "test-model",
                reconnect: RetryPolicy(retries: 1, first: .seconds(3_600), longest: .seconds(3_600))
            ),
            framesPerSecond: { 5 },
            latestFrame: { nil }
        )
        try await stream.start()
        session.say(.closed(code: 1006, reason: ""))
        await stream.state.reaches { $0.phase == .reconnecting(attempt: 1) }
        #expect(!stream.state.value.isConnected)
        await stream.stop()
        #expect(stream.state.value.phase == .idle)
    }

    @Test func `a session that opens while the stream stops is closed`() async throws {
        let first = ScriptedSession()
        let second = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = StreamFixture(ScriptedModel([.opens(first), .waits(gate, second)]), retries: 1)
        try await fixture.stream.start()
        first.say(.closed(code: 1006, reason: ""))
        await fixture.model.asked.reaches { $0.count == 2 }
        async let stopped: Void = fixture.stream.stop()
        await fixture.stream.state.reaches { $0.phase == .stopping }
        gate.set(true)
        await stopped
        #expect(fixture.model.configurations.count == 2)
        #expect([first, second].map(\.closes.value) == [1, 1])
        #expect(second.sent.value.isEmpty)
    }
}
