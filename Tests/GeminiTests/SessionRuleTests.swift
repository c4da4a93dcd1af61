import GeminiLive
import GeminiServer
import Services
import SimulationTesting
import Testing

@Suite("Rules of live sessions", .simulated(seeds: 1...5))
struct SessionRuleTests {
    private static func failure(_ world: GeminiWorld) async -> LiveModelError? {
        do {
            _ = try await world.open()
            return nil
        } catch { return error as? LiveModelError }
    }

    @Test func `as many sessions as may be are open at a time, and one that ends makes room`() async throws {
        let world = try await GeminiWorld(
            settings: GeminiServerSettings(keys: [GeminiWorld.key], concurrentSessions: 2)
        )
        let first = try await world.open()
        let second = try await world.open()
        let error = await Self.failure(world)
        #expect(error?.code == .unavailable && error?.closeCode == 1011)
        #expect(error?.detail.contains("Maximum concurrent sessions") == true)
        await first.close()
        try await world.settle()
        _ = try await world.open()
        await second.close()
    }

    @Test func `a client at a wrong place is refused`() async throws {
        let world = try await GeminiWorld(
            settings: GeminiServerSettings(keys: [GeminiWorld.key], refusesRegion: true)
        )
        let error = await Self.failure(world)
        #expect(error?.code == .rejected && error?.closeCode == 1007)
        #expect(error?.detail == "User location is not supported for the API use.")
    }

    @Test func `while the model speaks or waits the session cannot be gone on with`() async throws {
        let world = try await GeminiWorld(
            settings: GeminiServerSettings(keys: [GeminiWorld.key], tellsWhenNotResumable: true)
        )
        let session = try await world.open()
        try await session.send(text: "Hi")
        #expect(try await session.nextEvent() == .notResumable)
        _ = try await session.eventsOfTurn()
        guard case .resumable = try await session.nextEvent() else {
            Issue.record("no handle")
            return
        }
    }

    @Test func `pictures of turns are decoded, and cost`() async throws {
        let world = try await GeminiWorld(
            script: GeminiScript(brain: DescribingBrain(delayMilliseconds: 0...0))
        )
        let session = try await world.open()
        let turn = LiveTurn(.user, [.text("What is it?"), .jpeg(TestPicture.jpeg(number: 7))])
        try await session.send(.turns([turn], isComplete: true))
        let events = try await session.eventsOfTurn()
        #expect(events.text.contains("no. 7 of 64x48 pixels"))
        #expect(events.usage?.promptDetails[.image] == 258 && events.usage?.promptDetails[.video] == nil)
        #expect(world.server.record.sessions[0].pictureCount == 1)
        try await session.send(.turns([LiveTurn(.user, [.jpeg([1, 2, 3])])], isComplete: true))
        guard case .closed(code: 1007, _)? = try await session.eventsOfTurn().last else {
            Issue.record("taken")
            return
        }
    }

    @Test func `history is known and not answered`() async throws {
        let world = try await GeminiWorld()
        let history = [LiveTurn(.user, text: "My name is Ann."), LiveTurn(.model, text: "Hello Ann.")]
        let session = try await world.open(LiveConfiguration(model: GeminiWorld.model, history: history))
        try await world.settle()
        let record = world.server.record.sessions[0]
        #expect(record.texts == ["My name is Ann.", "Hello Ann."] && record.replies.isEmpty)
        try await session.send(text: "Hi")
        let usage = try #require(try await session.eventsOfTurn().usage)
        #expect(usage.prompt == (15 + 10 + 2 + 3) / 4)
    }

    @Test func `thoughts are shown apart, and counted`() async throws {
        let brain = FixedBrain(pieces: [.init(["Hm."], isThought: true), .init(["Yes."])])
        let session = try await GeminiWorld(script: GeminiScript(brain: brain)).open()
        try await session.send(text: "Hi")
        let events = try await session.eventsOfTurn()
        #expect(events.prefix(2) == [.thought("Hm."), .text("Yes.")])
        #expect(events.usage?.thoughts == 1 && events.usage?.answer == 1 && events.usage?.total == 3)
    }
}
