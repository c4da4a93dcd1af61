import ArgusHub
import Foundation
import PeerKit
import Simulation
import SimulationTesting
import Testing

@Suite("The simulated hub: rules", .simulated(seeds: 1...3, stalls: .none))
struct HubRuleTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    @Test("a rule makes an event again and again while the hub runs, and phones hear of it without asking")
    func repeated() async throws {
        let pushes = ScriptedPushes()
        let rule = HubRule(.every(.seconds(40)), cameraID: "cam_garden", detectionType: "animal")
        let hub = ArgusHub(ArgusProject(rules: [rule]), pushes: pushes)
        #expect(try await HubClient(paired: hub).register("aa").status == 201)
        let running = Task { await hub.run() }
        try await Task.sleep(for: .seconds(130))
        running.cancel()
        #expect(hub.events.map(\.id) == ["evt_3", "evt_2", "evt_1"])
        #expect(hub.events.allSatisfy { $0.cameraID == "cam_garden" && $0.detectionType == "animal" })
        let times = hub.events.map { $0.timestamp.timeIntervalSince(Self.start).rounded() }
        #expect(times == [120, 80, 40])
        #expect(pushes.sent.map(\.eventID) == ["evt_1", "evt_2", "evt_3"])
        try await Task.sleep(for: .seconds(100))
        #expect(hub.events.count == 3)
    }

    @Test("a request makes what is due, from the first one on")
    func lazily() async throws {
        let hub = ArgusHub(ArgusProject(rules: [HubRule(.every(.seconds(10)))]))
        let phone = HubClient(paired: hub)
        try await Task.sleep(for: .seconds(100))
        #expect(try await phone.get("events")["total"] == 0)
        try await Task.sleep(for: .seconds(35))
        #expect(try await phone.get("events")["total"] == 3)
    }

    @Test("what several rules make at once is numbered in the order of time")
    func severalRules() async throws {
        let rules = [HubRule(.every(.seconds(30))), HubRule(.every(.seconds(20)))]
        let hub = ArgusHub(ArgusProject(rules: rules))
        let phone = HubClient(paired: hub)
        #expect(try await phone.get("events")["total"] == 0)
        try await Task.sleep(for: .seconds(50))
        #expect(try await phone.get("events").ids == ["evt_3", "evt_2", "evt_1"])
    }

    @Test("events of a script come once, others once a day, and the hub stops where nothing is left")
    func scripts() async throws {
        let hub = ArgusHub(
            ArgusProject(rules: [
                HubRule(.once(after: .seconds(5)), description: "second"),
                HubRule(.once(after: .zero), description: "first"),
            ])
        )
        await hub.run()
        #expect(hub.events.map(\.description) == ["second", "first"])
        let daily = ArgusHub(ArgusProject(rules: [HubRule(.daily(hour: 7, minute: 30))]))
        let running = Task { await daily.run() }
        try await Task.sleep(for: .seconds(2 * 86_400))
        running.cancel()
        let times = daily.events.map { $0.timestamp.timeIntervalSince(Self.start) }
        #expect(times == [86_400 + 27_000, 27_000])
    }

    @Test("a clock that is set forward by a year makes up for a thousand events, and goes on from there")
    func steppedClock() async throws {
        let hub = ArgusHub(ArgusProject(rules: [HubRule(.every(.seconds(60)))]))
        let node = try #require(Simulation.current).node("hub")
        let admin = HubClient(admin: hub)
        func total() async throws -> Int? {
            try await node.run { try await admin.get("events")["total"]?.integer }
        }
        #expect(try await total() == 0)
        node.clock.step(by: .seconds(365 * 86_400))
        #expect(try await total() == 1000)
        try await Task.sleep(for: .seconds(61))
        #expect(try await total() == 1001)
    }
}
