import GeminiLive
import GeminiServer
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Faults of the simulated service", .simulated(seeds: 1...20))
struct FaultTests {
    private static func world(_ faults: GeminiFault...) async throws -> GeminiWorld {
        try await GeminiWorld(script: GeminiScript(brain: FixedBrain(), faults: faults))
    }

    @Test("LENS-114 a close in the middle of a turn ends the session with its code, also for senders")
    func closeMidTurn() async throws {
        let trouble = GeminiTrouble.close(code: 1011, reason: "Internal error encountered.")
        let world = try await Self.world(GeminiFault(trouble, at: .chunk(turn: 0, chunk: 1)))
        let session = try await world.open()
        try await session.send(text: "Hi")
        let end = LiveEvent.closed(code: 1011, reason: "Internal error encountered.")
        #expect(try await session.events(4) == [.text("Hel"), .text("lo "), end, end])
        await #expect { try await session.send(frame: TestPicture.jpeg(number: 0)) } throws: { error in
            (error as? LiveModelError)?.code == .closed && (error as? LiveModelError)?.closeCode == 1011
        }
    }

    @Test("LENS-114 a lost connection is 1006")
    func drop() async throws {
        let world = try await Self.world(GeminiFault(.drop, at: .frame(2)))
        let session = try await world.open()
        try await session.send(frame: TestPicture.jpeg(number: 0))
        try await session.send(frame: TestPicture.jpeg(number: 1))
        #expect(try await session.nextEvent() == .closed(code: 1006, reason: ""))
        #expect(try await session.nextEvent() == .closed(code: 1006, reason: ""))
    }

    @Test("LENS-113 a malformed message is reported and the turn goes on")
    func malformed() async throws {
        let world = try await Self.world(
            GeminiFault(.malformed("{\"serverContent\":"), at: .chunk(turn: 0, chunk: 1))
        )
        let session = try await world.open()
        try await session.send(text: "Hi")
        let events = try await session.events(4)
        #expect(events[1] == .text("lo "))
        guard case .unreadable(let detail) = events[2] else {
            Issue.record("not reported: \(events[2])")
            return
        }
        #expect(detail.contains("not JSON"))
        #expect(events[3] == .text("there."))
    }

    @Test("goAway comes first, and then the close")
    func goAway() async throws {
        let world = try await Self.world(GeminiFault(.goAway(timeLeft: .milliseconds(15)), at: .frame(1)))
        let session = try await world.open()
        try await session.send(frame: TestPicture.jpeg(number: 0))
        #expect(
            try await session.events(2) == [
                .goingAway(timeLeft: .milliseconds(15)),
                .closed(code: 1000, reason: "The operation was cancelled."),
            ]
        )
    }

    @Test("a connection is warned about, and closed at, its longest life")
    func connectionLimit() async throws {
        let settings = GeminiServerSettings(
            keys: [GeminiWorld.key],
            connectionLimit: .milliseconds(30),
            warning: .milliseconds(20)
        )
        let session = try await GeminiWorld(settings: settings).open()
        #expect(
            try await session.events(2) == [
                .goingAway(timeLeft: .milliseconds(20)),
                .closed(code: 1000, reason: "The operation was cancelled."),
            ]
        )
    }

    @Test("a session with video ends at its limit")
    func videoLimit() async throws {
        let settings = GeminiServerSettings(keys: [GeminiWorld.key], videoLimit: .milliseconds(1))
        let session = try await GeminiWorld(settings: settings)
            .open(options: GeminiOptions(compressesContext: false))
        try await session.send(frame: TestPicture.jpeg(number: 0))
        let reason = "Deadline expired before operation could complete."
        #expect(try await session.nextEvent() == .closed(code: 1011, reason: reason))
    }

    @Test("a session whose context is compressed outlives the limit of video")
    func compressedVideo() async throws {
        let settings = GeminiServerSettings(
            keys: [GeminiWorld.key],
            connectionLimit: .milliseconds(60),
            warning: .zero,
            videoLimit: .milliseconds(1)
        )
        let session = try await GeminiWorld(settings: settings).open()
        try await session.send(frame: TestPicture.jpeg(number: 0))
        #expect(try await session.nextEvent() == .goingAway(timeLeft: .zero))
    }

    @Test("a stalled service says later what it had to say")
    func stall() async throws {
        let world = try await Self.world(GeminiFault(.stall(.milliseconds(5)), at: .chunk(turn: 0, chunk: 1)))
        let session = try await world.open()
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
    }

    @Test("a service that does not read holds the sender back at a bounded number of frames")
    func slowReader() async throws {
        let world = try await Self.world(GeminiFault(.stopReading(.seconds(86_400)), at: .frame(1)))
        // A heartbeat would take a service that cannot read its pings for gone.
        let session = try await world.open(options: GeminiOptions(limits: WebSocketLimits()))
        let count = Box(0)
        var held = 0
        try await withThrowingTaskGroup { group in
            group.addTask {
                while (try? await session.send(frame: TestPicture.jpeg(number: 0, byteCount: 50_000))) != nil
                {
                    count.increment()
                }
            }
            try await Task.sleep(for: .seconds(60))
            held = count.value
            // What the transport buffers on the way is bounded too.
            #expect((1..<1_000).contains(held))
            try await Task.sleep(for: .seconds(60))
            // The death of the service sets the sender free, and ends the service's own long wait.
            await world.server.inject(.drop)
        }
        try await world.settle()
        #expect(count.value == held)
        #expect(world.server.record.sessions[0].close == .abnormal)
    }

    @Test("a fault can be applied to open sessions at any time")
    func injected() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        await world.server.inject(.malformed("[]"))
        await world.server.inject(.close(code: 1011, reason: "The service is currently unavailable."))
        guard case .unreadable = try await session.nextEvent() else {
            Issue.record("the message did not come")
            return
        }
        #expect(
            try await session.nextEvent()
                == .closed(code: 1011, reason: "The service is currently unavailable.")
        )
    }

    @Test("a fault of one session spares the others")
    func oneSession() async throws {
        let world = try await Self.world(GeminiFault(.drop, at: .chunk(turn: 0, chunk: 0), session: 1))
        for expected in ["Hello there.", "", "Hello there."] {
            let session = try await world.open()
            try await session.send(text: "Hi")
            #expect(try await session.turn() == expected)
        }
    }
}
