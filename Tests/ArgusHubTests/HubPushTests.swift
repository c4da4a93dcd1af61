import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import Simulation
import SimulationTesting
import Testing

@Suite("The simulated hub: push tokens and pushes", .simulated(seeds: 1...5, stalls: .none))
struct HubPushTests {
    private static let token = String(repeating: "0a", count: 32)

    private func event(_ id: String = "evt_123", camera: String = "cam_front", type: String = "motion")
        -> HubEvent
    {
        HubEvent(id: id, cameraID: camera, timestamp: Date(), detectionType: type)
    }

    /// A hub with one phone whose push token it has.
    private func registered(_ pushes: ScriptedPushes, _ project: ArgusProject = ArgusProject()) async throws
        -> ArgusHub
    {
        let hub = ArgusHub(project, pushes: pushes)
        #expect(try await HubClient(paired: hub, device: "phone").register(Self.token).status == 201)
        return hub
    }

    @Test("ARGUS-056 a device has one push token: 201 for the first, 200 for the same and for another one")
    func registration() async throws {
        let hub = ArgusHub()
        let phone = HubClient(paired: hub, device: "phone")
        let first = try await phone.register(Self.token.uppercased())
        #expect(first.status == 201)
        #expect(first["registered_at"]?.string?.hasPrefix("2026-01-01T00:00:") == true)
        #expect(hub.pushTokens.map { [$0.device, $0.token] } == [["phone", Self.token]])
        for token in [Self.token, "bb"] {
            let again = try await phone.register(token)
            #expect(again.status == 200 && again["id"] == first["id"])
            #expect(hub.pushTokens.map { [$0.device, $0.token] } == [["phone", token]])
        }
        #expect(hub.log.contains(.pushRegistered(device: "phone", token: "bb")))
    }

    @Test("ARGUS-056 a token that another device registers is no longer the first one's")
    func moved() async throws {
        let hub = try await registered(ScriptedPushes())
        #expect(try await HubClient(paired: hub, device: "again").register(Self.token).status == 201)
        #expect(hub.pushTokens.map(\.device) == ["again"])
    }

    @Test(
        "what is no token of whole bytes and no platform is refused with a list",
        arguments: [
            ["push_token": "", "platform": "ios"], ["push_token": "abc", "platform": "ios"],
            ["push_token": "zz", "platform": "ios"], ["push_token": "aa", "platform": "web"],
            ["push_token": 7, "platform": "ios"], ["platform": "ios"], ["push_token": "aa"],
            ["push_token": .string(String(repeating: "a", count: 202)), "platform": "ios"],
        ] as [JSONValue]
    )
    func badTokens(_ body: JSONValue) async throws {
        let hub = ArgusHub()
        let answer = try await HubClient(paired: hub).post("push/register", body)
        #expect(answer.status == 422 && answer["detail"]?.array?.count == 1)
        #expect(hub.pushTokens.isEmpty)
    }

    @Test("a device takes its token away, once")
    func unregistration() async throws {
        let pushes = ScriptedPushes()
        let hub = try await registered(pushes)
        let phone = HubClient(paired: hub, device: "phone")
        let path = "/api/v1/mobile/push/unregister"
        #expect(try await HubClient(paired: hub, device: "tablet").send(.delete, path).status == 404)
        #expect(try await phone.send(.delete, path).status == 204)
        #expect(hub.pushTokens.isEmpty && hub.log.contains(.pushUnregistered(device: "phone")))
        #expect(try await phone.send(.delete, path).status == 404)
        hub.add(event())
        try await Task.sleep(for: .seconds(1))
        #expect(pushes.sent.isEmpty)
    }

    @Test("ARGUS-059 ARGUS-060 an event is one push to each device, with title, body and the event's ID")
    func payload() async throws {
        let pushes = ScriptedPushes()
        let hub = try await registered(pushes)
        #expect(try await HubClient(paired: hub, device: "tablet").register("bb").status == 201)
        hub.add(event())
        try await Task.sleep(for: .seconds(1))
        #expect(Set(pushes.sent.map(\.token)) == [Self.token, "bb"] && pushes.sent.count == 2)
        #expect(Set(pushes.sent.map(\.id)).count == 2)
        for push in pushes.sent {
            let payload = try JSONValue(json: push.payload)
            let alert: JSONValue = ["title": "Motion Detected", "body": "Front Door Camera"]
            #expect(payload["aps"]?["alert"] == alert)
            #expect(payload["event_id"] == "evt_123" && push.eventID == "evt_123")
            #expect(UUID(uuidString: push.id) != nil && push.id == push.id.lowercased())
        }
        #expect(hub.log.contains(.pushDelivered(device: "phone", eventID: "evt_123")))
    }

    @Test(
        "the title says what was seen, and the body where",
        arguments: [
            ("person", "cam_garden", "Person Detected", "Garden Camera"),
            ("vehicle", "cam_drive", "Vehicle Detected", "Driveway Camera"),
            ("package", "cam_front", "Package Detected", "Front Door Camera"),
            ("animal", "unknown", "Animal Detected", "unknown"),
            ("ring", "cam_front", "Doorbell Ring", "Front Door Camera"),
            ("ufo", "cam_front", "Event Detected", "Front Door Camera"),
        ]
    )
    func titles(_ type: String, _ camera: String, _ title: String, _ body: String) async throws {
        let pushes = ScriptedPushes()
        let hub = try await registered(pushes)
        let json: JSONValue = [
            "camera_id": .string(camera), "description": "d", "detection_type": .string(type),
        ]
        #expect(try await HubClient(admin: hub).send(.post, "/api/v1/events", json: json).status == 201)
        try await Task.sleep(for: .seconds(1))
        let alert = try JSONValue(json: try #require(pushes.sent.first).payload)["aps"]?["alert"]
        #expect(alert == ["title": .string(title), "body": .string(body)])
    }

    @Test("ARGUS-062 a token that the service does not know is dropped at once")
    func badDevice() async throws {
        let pushes = ScriptedPushes(.badDeviceToken)
        let hub = try await registered(pushes)
        hub.add(event())
        try await Task.sleep(for: .seconds(60))
        #expect(hub.pushTokens.isEmpty && pushes.sent.count == 1)
        #expect(hub.log.contains(.pushTokenDropped(device: "phone", token: Self.token)))
    }

    @Test("ARGUS-062 a token that was unregistered is dropped, unless the device has registered it since")
    func unregistered() async throws {
        for (offset, isKept) in [(-1.0, true), (1.0, false)] {
            let pushes = ScriptedPushes(.unregistered(Date() + offset))
            let hub = try await registered(pushes)
            try await Task.sleep(for: .seconds(2))
            hub.add(event())
            try await Task.sleep(for: .seconds(60))
            #expect(hub.pushTokens.isEmpty == !isKept && pushes.sent.count == 1)
            let entry = isKept ? ArgusHubEvent.pushTokenKept : ArgusHubEvent.pushTokenDropped
            #expect(hub.log.last == entry("phone", Self.token))
        }
    }

    @Test(
        "ARGUS-062 a push that is not taken now is sent again after 2, 4 and 8 seconds, with the same ID, then given up"
    )
    func retries() async throws {
        let simulation = try #require(Simulation.current)
        let pushes = TimedPushes(.retry(), .retry(), .retry(), .retry())
        let hub = ArgusHub(pushes: pushes)
        #expect(try await HubClient(paired: hub, device: "phone").register(Self.token).status == 201)
        let start = simulation.now
        hub.add(event())
        try await Task.sleep(for: .seconds(120))
        // Waits have a tenth of jitter at most.
        let times = pushes.times.map { ($0 - start) / .seconds(1) }
        try #require(times.count == 4)
        #expect(times[0] < 0.1 && (2...2.3).contains(times[1]) && (6...6.7).contains(times[2]))
        #expect((14...15.5).contains(times[3]))
        #expect(Set(pushes.ids).count == 1)
        #expect(hub.log.last == .pushGivenUp(device: "phone", eventID: "evt_123"))
        #expect(!hub.pushTokens.isEmpty)
    }

    @Test("ARGUS-062 a push waits as long as the service asks for, and is then taken")
    func retryAfter() async throws {
        let simulation = try #require(Simulation.current)
        let pushes = TimedPushes(.retry(after: .seconds(60)))
        let hub = ArgusHub(pushes: pushes)
        #expect(try await HubClient(paired: hub, device: "phone").register(Self.token).status == 201)
        let start = simulation.now
        hub.add(event())
        try await Task.sleep(for: .seconds(100))
        try #require(pushes.times.count == 2)
        #expect((60...67).contains((pushes.times[1] - start) / .seconds(1)))
        #expect(
            hub.log.suffix(2) == [
                .pushRetried(device: "phone", eventID: "evt_123", retry: 1),
                .pushDelivered(device: "phone", eventID: "evt_123"),
            ]
        )
    }

    @Test("a push is not retried to a token that was replaced meanwhile")
    func replaced() async throws {
        let pushes = ScriptedPushes(.retry(after: .seconds(60)))
        let hub = try await registered(pushes)
        hub.add(event())
        try await Task.sleep(for: .seconds(10))
        #expect(try await HubClient(paired: hub, device: "phone").register("bb").status == 200)
        try await Task.sleep(for: .seconds(100))
        #expect(pushes.sent.count == 1)
        #expect(hub.log.last == .pushGivenUp(device: "phone", eventID: "evt_123"))
    }

    @Test("ARGUS-063 a payload of more than 4096 bytes is not sent, and one of 4096 is")
    func size() async throws {
        let pushes = ScriptedPushes()
        let hub = try await registered(pushes)
        hub.add(event(camera: ""))
        try await Task.sleep(for: .seconds(1))
        let room = 4096 - (try #require(pushes.sent.first).payload.count)
        hub.add(event("fits", camera: String(repeating: "c", count: room + "evt_123".count - "fits".count)))
        hub.add(
            event("long", camera: String(repeating: "c", count: room + "evt_123".count - "long".count + 1))
        )
        try await Task.sleep(for: .seconds(1))
        #expect(pushes.sent.map(\.eventID) == ["evt_123", "fits"])
        #expect(pushes.sent.last?.payload.count == 4096)
        #expect(hub.log.contains(.pushTooLarge(eventID: "long", bytes: 4097)))
    }
}
