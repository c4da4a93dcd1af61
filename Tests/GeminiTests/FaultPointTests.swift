import GeminiServer
import PeerKit
import Services
import Simulation
import SimulationTesting
import Testing
import Transport

/// A canary for each fault point: armed, it bites.
///
/// A session passes its points at the setup first.
@Suite("Simulated Gemini: fault points", .simulated(seeds: 1...5))
struct FaultPointTests {
    private func arm(_ point: String, _ values: [String: Double] = [:], skipping: Int = 1) {
        Simulation.current?.arm(faultPoint: point, values: values, skipping: skipping, atMost: 1)
    }

    /// What a session hears after its first frame, up to that many events.
    private func events(_ count: Int) async throws -> [LiveEvent] {
        let session = try await GeminiWorld().open()
        try await session.send(frame: TestPicture.jpeg(number: 0))
        return try await session.events(count)
    }

    @Test func `every point has its canary`() async throws {
        let points = try await GeminiWorld().server.faults.points.map(\.name)
        #expect(
            points.filter {
                $0.hasPrefix("gemini") && !$0.hasPrefix("gemini.files") && !$0.hasPrefix("gemini.generate")
            } == [
                "gemini.handshake.refused", "gemini.session.goAway", "gemini.session.poisonedResume",
                "gemini.live.goAway", "gemini.live.close", "gemini.live.drop", "gemini.live.malformed",
                "gemini.live.stall", "gemini.live.mute", "gemini.live.slowReader", "gemini.live.duplicate",
                "gemini.live.reorder", "gemini.live.huge", "gemini.live.slowStart",
            ]
        )
    }

    @Test func `a handshake is refused`() async throws {
        arm("gemini.handshake.refused", ["status": 503], skipping: 0)
        let world = try await GeminiWorld()
        await #expect(throws: LiveModelError.self) { try await world.open() }
        #expect(world.server.record.sessions.isEmpty && world.server.record.handshakeCount == 1)
        _ = try await world.open()
    }

    @Test func `an idle session is warned at a time`() async throws {
        arm("gemini.session.goAway", ["after": 20, "timeLeft": 7], skipping: 0)
        let session = try await GeminiWorld().open()
        let start = ContinuousClock.now
        #expect(try await session.nextEvent() == .goingAway(timeLeft: .seconds(7)))
        // The session began before its client knew.
        #expect((.seconds(19) ..< .seconds(21)).contains(start.duration(to: .now)))
    }

    @Test func `a session is warned, and closed when its time is over`() async throws {
        arm("gemini.live.goAway", ["timeLeft": 7])
        let start = ContinuousClock.now
        #expect(
            try await events(2) == [
                .goingAway(timeLeft: .seconds(7)),
                .closed(code: 1000, reason: "The operation was cancelled."),
            ]
        )
        // A run's own stalls add nanoseconds.
        #expect((.seconds(7) ..< .seconds(8)).contains(start.duration(to: .now)))
    }

    @Test func `a session is closed with a code`() async throws {
        arm("gemini.live.close", ["code": 1008])
        #expect(
            try await events(1) == [.closed(code: 1008, reason: "BidiGenerateContent session not found")]
        )
    }

    @Test(arguments: [1004, 1015, 2000] as [Double])
    func `a session is closed with 1011 for a code that may not be sent`(code: Double) async throws {
        arm("gemini.live.close", ["code": code])
        guard case .closed(let sent, _) = try await events(1)[0] else {
            Issue.record("the session goes on")
            return
        }
        #expect(sent == 1011)
    }

    @Test(
        arguments: [
            (1000, 0, "The operation was cancelled."), (1007, 0, "Request contains an invalid argument."),
            (1007, 1, "User location is not supported for the API use."),
            (1007, 2, "API key expired. Please renew the API key."),
            (1007, 3, "API key not valid. Please pass a valid API key."),
            (1008, 0, "BidiGenerateContent session not found"),
            (1008, 1, "Operation is not implemented, or supported, or enabled."),
            (1008, 2, "Requested entity was not found."), (1008, 3, "The operation was aborted."),
            (1011, 0, "The service is currently unavailable."), (1011, 1, "Internal error encountered."),
            (1011, 2, "Deadline expired before operation could complete."),
            (1011, 3, "You exceeded your current quota, please check your plan and billing details."),
            (1011, 4, "RESOURCE_EXHAUSTED: Maximum concurrent sessions reached."),
            (1011, 5, "The service is currently unavailable."), (1012, 0, ""),
        ] as [(UInt16, Double, String)]
    )
    func `a session is closed with each reason that is known for a code`(
        _ code: UInt16,
        _ number: Double,
        _ reason: String
    ) async throws {
        arm("gemini.live.close", ["code": Double(code), "reason": number])
        #expect(try await events(1) == [.closed(code: code, reason: reason)])
    }

    @Test func `a piece of an answer comes twice`() async throws {
        arm("gemini.live.duplicate")
        let session = try await GeminiWorld().open()
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.there.")
    }

    @Test func `a piece of an answer comes after the next one`() async throws {
        arm("gemini.live.reorder", skipping: 0)
        let session = try await GeminiWorld().open()
        try await session.send(text: "Hi")
        let events = try await session.events(4)
        #expect(events == [.text("there."), .text("Hel"), .text("lo "), .generationComplete])
    }

    @Test func `the last piece of an answer is not held back for ever`() async throws {
        arm("gemini.live.reorder")
        let session = try await GeminiWorld().open()
        try await session.send(text: "Hi")
        let events = try await session.events(4)
        #expect(events == [.text("Hel"), .text("lo "), .text("there."), .generationComplete])
    }

    @Test(.simulated(seeds: 1...2), arguments: [(2, nil), (17, 1009)] as [(Double, UInt16?)])
    func `a huge message without meaning comes before an answer`(_ megabytes: Double, _ code: UInt16?)
        async throws
    {
        arm("gemini.live.huge", ["megabytes": megabytes], skipping: 0)
        let session = try await GeminiWorld().open()
        try await session.send(text: "Hi")
        let first = try await session.nextEvent()
        if let code {
            guard case .closed(code, _) = first else {
                Issue.record("\(first)")
                return
            }
        } else {
            #expect(first == .other)
            #expect(try await session.turn() == "Hello there.")
        }
    }

    @Test func `an answer begins late`() async throws {
        arm("gemini.live.slowStart", ["seconds": 30], skipping: 0)
        let session = try await GeminiWorld().open()
        let start = ContinuousClock.now
        try await session.send(text: "Hi")
        #expect(try await session.events(1) == [.text("Hel")])
        #expect((.seconds(30) ..< .seconds(31)).contains(start.duration(to: .now)))
    }

    @Test func `a session that goes on is accepted, and the model never speaks`() async throws {
        arm("gemini.session.poisonedResume", skipping: 0)
        let world = try await GeminiWorld()
        let first = try await world.open()
        try await first.send(text: "Hi")
        var handle = ""
        while handle.isEmpty { if case .resumable(let new) = try await first.nextEvent() { handle = new } }
        await first.close()
        try await world.settle()
        let second = try await world.open(LiveConfiguration(model: GeminiWorld.model, resumption: handle))
        try await second.send(text: "Still there?")
        try await world.settle()
        let record = world.server.record.sessions[1]
        #expect(
            record.isResumed && record.texts == ["Still there?"] && record.replies.isEmpty
                && record.close == nil
        )
        await second.close()
        // Only the first one that goes on is hit.
        try await world.settle()
        let third = try await world.open(LiveConfiguration(model: GeminiWorld.model, resumption: handle))
        try await third.send(text: "And now?")
        #expect(try await third.turn() == "Hello there.")
    }

    @Test func `a session is cut`() async throws {
        arm("gemini.live.drop")
        #expect(try await events(1) == [.closed(code: 1006, reason: "")])
    }

    @Test func `a message is no JSON`() async throws {
        arm("gemini.live.malformed")
        guard case .unreadable = try await events(1)[0] else {
            Issue.record("the message was read")
            return
        }
    }

    @Test func `a reply comes late`() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        arm("gemini.live.stall", ["seconds": 30], skipping: 0)
        let start = ContinuousClock.now
        try await session.send(text: "Hi")
        #expect(try await session.events(1) == [.text("Hel")])
        #expect((.seconds(30) ..< .seconds(31)).contains(start.duration(to: .now)))
    }

    @Test func `a reply never comes`() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        arm("gemini.live.mute", skipping: 0)
        try await session.send(text: "Hi")
        try await world.settle()
        let record = world.server.record.sessions[0]
        #expect(record.texts == ["Hi"] && record.replies == [""] && record.close == nil)
    }

    @Test func `what is sent is read late`() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        arm("gemini.live.slowReader", ["seconds": 20], skipping: 0)
        for number in 0..<3 { try await session.send(frame: TestPicture.jpeg(number: UInt8(number))) }
        try await Task.sleep(for: .seconds(19))
        let before = world.server.record.sessions[0].frameCount
        try await Task.sleep(for: .seconds(2))
        // One may have been on its way when reading stopped.
        #expect(before < 3 && world.server.record.sessions[0].frameCount == 3)
    }
}
