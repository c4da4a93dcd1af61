import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: analytics", .simulated(seeds: 1...3, stalls: .none))
struct NovaAnalyticsTests {
    private let nova = NovaServer(.seeded(users: 1, posts: 1))

    private func event(_ fields: [String: JSONValue] = [:]) -> JSONValue {
        let usual: [String: JSONValue] = [
            "name": "post_tap", "category": "feed", "parameters": ["post_id": "post_1"],
            "timestamp": "2026-03-01T10:00:00Z", "device_id": "d1", "user_id": "user_1", "platform": "linux",
            "app_version": "1.0",
        ]
        return .object(usual.merging(fields) { $1 })
    }

    @Test("batches are taken whole and in order, from anybody")
    func batch() async throws {
        let events = (0..<50).map { event(["parameters": ["n": .integer($0)]]) }
        let answer = try await NovaClient(nova).post("/analytics/events", .array(events))
        #expect(answer.status == 200 && answer["accepted"] == 50 && nova.analytics == events)
        let more = [
            event(["timestamp": "2026-03-01T10:00:00.123Z", "user_id": .null, "parameters": #"{"a":1}"#])
        ]
        #expect(try await NovaClient(signedIn: nova).post("/analytics/events", .array(more)).status == 200)
        #expect(nova.analytics == events + more)
        #expect(try await NovaClient(nova).post("/analytics/events", [])["accepted"] == 0)
        var stale = NovaClient(nova)
        stale.authorization = "Bearer expired"
        #expect(try await stale.post("/analytics/events", .array(more)).status == 200)
    }

    @Test(
        "one bad event refuses its batch, and the answer names its fields",
        arguments: [
            (["name": .null], "name"), (["name": ""], "name"), (["category": 5], "category"),
            (["parameters": []], "parameters"), (["parameters": "no JSON"], "parameters"),
            (["parameters": .null], "parameters"), (["timestamp": 789_000_000], "timestamp"),
            (["timestamp": "yesterday"], "timestamp"), (["timestamp": .null], "timestamp"),
            (["device_id": .null], "device_id"), (["user_id": 7], "user_id"),
            (["platform": .null], "platform"),
            (["app_version": ["x"]], "app_version"), (["event_id": true], "event_id"),
        ] as [([String: JSONValue], String)]
    )
    func bad(_ fields: [String: JSONValue], _ name: String) async throws {
        let events: JSONValue = [event(), event(fields)]
        let answer = try await NovaClient(nova).post("/analytics/events", events)
        #expect(answer.status == 400 && answer.fields == ["events[1].\(name)"])
        #expect(nova.analytics.isEmpty)
    }

    @Test("what is no array of events is refused")
    func form() async throws {
        let app = NovaClient(nova)
        #expect(try await app.post("/analytics/events", event()).fields == ["body"])
        #expect(try await app.post("/analytics/events", ["x"]).fields == ["events[0]"])
        let many = JSONValue.array((0..<501).map { _ in event() })
        #expect(try await app.post("/analytics/events", many).fields == ["body"])
        #expect(try await app.post("/analytics/events", .array((0..<500).map { _ in event() })).status == 200)
        let large = [UInt8](repeating: 32, count: (1 << 20) + 1)
        #expect(
            try await app.send(.post, "/analytics/events", bytes: large, type: "application/json").status
                == 413
        )
    }

    @Test("a repetition of an event, or of a batch by its key, is dropped")
    func repetition() async throws {
        let app = NovaClient(nova)
        let (one, two) = (event(["event_id": "e1"]), event(["event_id": "e2"]))
        #expect(try await app.post("/analytics/events", [one], key: "k")["accepted"] == 1)
        let again = try await app.post("/analytics/events", [one], key: "k")
        #expect(again["accepted"] == 1 && again.head.value("Idempotent-Replayed") == "true")
        #expect(try await app.post("/analytics/events", [one, two])["accepted"] == 1)
        #expect(nova.analytics == [one, two])
    }
}
