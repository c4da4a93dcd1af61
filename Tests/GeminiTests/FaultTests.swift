import GeminiLive
import GeminiServer
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Faults of the simulated service", .simulated(seeds: 1...20))
struct FaultTests {
    /// A session passes the points at its setup first, then after each frame and before each chunk.
    private static func world(
        _ point: String,
        _ values: [String: Double] = [:],
        skipping: Int
    ) async throws -> GeminiWorld {
        Simulation.current?.arm(faultPoint: point, values: values, skipping: skipping, atMost: 1)
        return try await GeminiWorld()
    }

    @Test("a close in the middle of a turn ends the session with its code, also for senders")
    func closeMidTurn() async throws {
        let world = try await Self.world("gemini.live.close", ["code": 1011], skipping: 2)
        let session = try await world.open()
        try await session.send(text: "Hi")
        let end = LiveEvent.closed(code: 1011, reason: "The service is currently unavailable.")
        #expect(try await session.events(4) == [.text("Hel"), .text("lo "), end, end])
        await #expect { try await session.send(frame: TestPicture.jpeg(number: 0)) } throws: { error in
            (error as? LiveModelError)?.code == .closed && (error as? LiveModelError)?.closeCode == 1011
        }
    }

    @Test("a lost connection is 1006")
    func drop() async throws {
        let world = try await Self.world("gemini.live.drop", skipping: 2)
        let session = try await world.open()
        try await session.send(frame: TestPicture.jpeg(number: 0))
        try await session.send(frame: TestPicture.jpeg(number: 1))
        #expect(try await session.nextEvent() == .closed(code: 1006, reason: ""))
        #expect(try await session.nextEvent() == .closed(code: 1006, reason: ""))
    }

    @Test("a malformed message is reported and the turn goes on")
    func malformed() async throws {
        let world = try await Self.world("gemini.live.malformed", skipping: 2)
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
        let world = try await Self.world("gemini.live.goAway", ["timeLeft": 0.015], skipping: 1)
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
        let world = try await Self.world("gemini.live.stall", ["seconds": 0.005], skipping: 2)
        let session = try await world.open()
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
    }

    @Test("a service that does not read holds the sender back at a bounded number of frames")
    func slowReader() async throws {
        Simulation.current?.arm(
            faultPoint: "gemini.live.slowReader",
            values: ["seconds": 3600],
            skipping: 1,
            atMost: 1
        )
        let settings = GeminiServerSettings(
            keys: [GeminiWorld.key],
            connectionLimit: .seconds(120),
            warning: .zero
        )
        let world = try await GeminiWorld(settings: settings)
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
            try await Task.sleep(for: .seconds(50))
            #expect(count.value == held)
            // The end of the connection sets the sender free, and ends the service's own long wait.
        }
        try await world.settle()
        #expect(world.server.record.sessions[0].close?.code == 1000)
    }

    @Test func `a session that is idle is warned at its time, and closed`() async throws {
        Simulation.current?.arm(
            faultPoint: "gemini.session.goAway",
            values: ["after": 40, "spread": 10, "timeLeft": 3],
            skipping: 1,
            atMost: 1
        )
        let world = try await GeminiWorld()
        let spared = try await world.open()
        let session = try await world.open()
        let start = ContinuousClock.now
        #expect(try await session.nextEvent() == .goingAway(timeLeft: .seconds(3)))
        #expect((.seconds(39) ..< .seconds(51)).contains(start.duration(to: .now)))
        #expect(try await session.nextEvent() == .closed(code: 1000, reason: "The operation was cancelled."))
        try await spared.send(text: "Hi")
        #expect(try await spared.turn() == "Hello there.")
    }

    @Test("a fault of one session spares the others")
    func oneSession() async throws {
        // The first session passes four points: at its setup, before each of two chunks, and before the end.
        let world = try await Self.world("gemini.live.drop", skipping: 5)
        for expected in ["Hello there.", "", "Hello there."] {
            let session = try await world.open()
            try await session.send(text: "Hi")
            #expect(try await session.turn() == expected)
        }
    }
}
