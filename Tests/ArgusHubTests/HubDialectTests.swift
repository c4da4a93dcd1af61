import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing

@Suite("The simulated hub in the dialect of the public one", .simulated(seeds: 1...3))
struct HubDialectTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private let hub = ArgusHub(
        ArgusProject(
            dialect: .hub,
            events: (1...5).map { HubEvent(id: "evt_\($0)", timestamp: start + Double($0)) }
        )
    )

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ json: JSONValue? = nil,
        as client: HubClient? = nil
    ) async throws -> HubClient.Answer {
        try await (client ?? HubClient(paired: hub)).send(method, "/api/v1/\(path)", json: json)
    }

    private func code(for device: String = "phone") async throws -> String {
        let body: JSONValue = [
            "device_id": .string(device), "platform": "ios", "device_name": "Ada's phone",
            "device_model": "P1",
        ]
        return try #require(try await HubClient(hub).post("auth/pair", body)["code"]?.string)
    }

    private func exchange(_ code: String) async throws -> HubClient.Answer {
        try await HubClient(hub).post("auth/exchange", ["code": .string(code)])
    }

    @Test("a phone asks for a code, waits until a person confirms it, and exchanges it once")
    func pairing() async throws {
        let (code, stranger) = (try await code(), HubClient(hub))
        func status(_ code: String) async throws -> JSONValue {
            try await stranger.get("auth/status/\(code)").json
        }
        #expect(try await status(code) == ["confirmed": false, "expired": false])
        #expect(try await exchange(code).status == 401)
        let pending = try await HubClient(admin: hub).get("auth/pending")
        #expect(pending["total"] == 1 && pending["pairings"]?.array?.first?["code"] == .string(code))
        #expect(pending["pairings"]?.array?.first?["device_model"] == "P1")
        #expect(hub.confirm(code) && !hub.confirm(code))
        #expect(try await HubClient(admin: hub).get("auth/pending")["total"] == 0)
        #expect(try await status(code) == ["confirmed": true, "expired": false])
        let answer = try await exchange(code)
        #expect(answer.status == 200 && answer["expires_in"] == 900 && answer["token_type"] == "bearer")
        #expect(UUID(uuidString: answer["device_id"]?.string ?? "") != nil)
        #expect(hub.log.contains(.paired(device: "phone", name: "Ada's phone")))
        var phone = stranger
        phone.authorization = "Bearer \(answer["access_token"]?.string ?? "")"
        #expect(try await send(.get, "cameras", as: phone).status == 200)
        #expect(try await exchange(code).status == 401)
        for code in [code, "abc"] {
            #expect(try await status(code) == ["confirmed": false, "expired": true])
        }
        #expect(try await exchange("12345").status == 422)
        // A code of the hub itself belongs to no phone.
        #expect(try await exchange(hub.makeCode()).status == 401)
    }

    @Test("a person refuses a code, and time does")
    func rejection() async throws {
        let (first, second) = (try await code(), try await code(for: "tablet"))
        let admin = HubClient(admin: hub)
        let codes = try await admin.get("auth/pending")["pairings"]?.array?.compactMap { $0["code"]?.string }
        #expect(Set(codes ?? []) == [first, second])
        let path = "mobile/auth/pending/\(first)"
        #expect(try await send(.delete, path).status == 403)
        #expect(try await send(.delete, path, as: admin).status == 200)
        #expect(try await send(.delete, path, as: admin).status == 404)
        #expect(!hub.confirm(first) && hub.confirm(second))
        _ = try await code(for: "third")
        #expect(try await admin.get("auth/pending")["total"] == 1)
        try await Task.sleep(for: .seconds(301))
        #expect(try await admin.get("auth/pending")["total"] == 0)
        #expect(try await exchange(second).status == 401)
    }

    @Test("a refresh wants the hub's own ID of the device")
    func refresh() async throws {
        let code = try await code()
        #expect(hub.confirm(code))
        let answer = try await exchange(code)
        let token = try #require(answer["refresh_token"])
        let row = try #require(answer["device_id"])
        let phone = HubClient(hub)
        #expect(try await phone.post("auth/refresh", ["refresh_token": token]).status == 422)
        for id in ["phone", JSONValue.string(UUID().uuidString)] {
            let body: JSONValue = ["refresh_token": token, "device_id": id]
            #expect(try await phone.post("auth/refresh", body).status == 401)
        }
        let body: JSONValue = ["refresh_token": token, "device_id": row]
        let next = try await phone.post("auth/refresh", body)
        #expect(next.status == 200 && next["device_id"] == row && next["refresh_token"] != token)
        var paired = phone
        paired.authorization = "Bearer \(next["access_token"]?.string ?? "")"
        #expect(try await paired.post("auth/revoke", ["device_id": "phone"])["revoked_count"] == 0)
        #expect(try await paired.post("auth/revoke", ["device_id": row])["revoked_count"] == 1)
    }

    @Test("events come by limit and offset, in either order, with what comes next")
    func pages() async throws {
        let first = try await send(.get, "events?limit=2")
        #expect(first.ids == ["evt_5", "evt_4"] && first["total_count"] == 5 && first["has_more"] == true)
        #expect(first["next_offset"] == 2 && first["limit"] == 2 && first["offset"] == 0)
        let last = try await send(.get, "events?limit=2&offset=4")
        #expect(last.ids == ["evt_1"] && last["has_more"] == false && last["next_offset"] == .null)
        let past = try await send(.get, "events?offset=\(Int.max)")
        #expect(past.ids == [] && past["total_count"] == 5 && past["has_more"] == false)
        #expect(try await send(.get, "events?sort_order=asc&limit=2&offset=1").ids == ["evt_2", "evt_3"])
        // Of the other dialect it knows nothing.
        #expect(try await send(.get, "events?page=2&page_size=2").ids.count == 5)
        for query in ["limit=0", "limit=501", "offset=-1", "offset=x", "sort_order=up"] {
            #expect(try await send(.get, "events?\(query)").status == 422, "\(query)")
        }
    }

    @Test("an event has the camera's name and a path to its picture, which wants no token")
    func events() async throws {
        hub.add(HubEvent(id: "ring 1", cameraID: "cam_drive", timestamp: Self.start, detectionType: "ring"))
        let event = try await send(.get, "events/ring%201")
        #expect(event["camera_name"] == "Driveway Camera" && event["smart_detection_type"] == "ring")
        #expect(event["is_doorbell_ring"] == true && event["detection_type"] == nil)
        let path = "/api/v1/thumbnails/2026-01-01/event_ring%201.jpg"
        #expect(event["thumbnail_path"] == .string(path))
        let picture = try await HubClient(hub).send(.get, path)
        #expect(picture.status == 200 && picture.bytes.starts(with: [0xFF, 0xD8]))
        #expect(picture.head[.cacheControl] == "public, max-age=86400")
        for path in [
            "2026-01-02/event_ring%201.jpg", "%2e%2e/event_ring%201.jpg", "2026-01-01/ring%201.jpg",
            "2026-01-01/event_ring%201", "2026-01-01/event_none.jpg",
        ] {
            let answer = try await HubClient(hub).send(.get, "/api/v1/thumbnails/\(path)")
            #expect(answer.status == 404 && answer.bytes.isEmpty, "\(path)")
        }
        hub.add(HubEvent(id: "ufo", timestamp: Self.start, detectionType: "ufo", thumbnail: .absent))
        let ufo = try await send(.get, "events/ufo")
        #expect(ufo["smart_detection_type"] == .null && ufo["thumbnail_path"] == .null)
        #expect(ufo["objects_detected"] == ["unknown"])
        #expect(try await send(.get, "events/none").detail == "Event none not found")
        #expect(try await send(.get, "events", as: HubClient(hub)).status == 401)
        let json: JSONValue = [
            "camera_id": "cam_drive", "description": "d", "timestamp": "2026-01-02T00:00:00Z",
        ]
        let added = try await send(.post, "events", json, as: HubClient(admin: hub))
        #expect(added.status == 201 && added["camera_name"] == .null)
    }

    @Test("cameras are a bare array")
    func cameras() async throws {
        let cameras = try await send(.get, "cameras").json.array
        #expect(cameras?.compactMap { $0["name"]?.string } == HubCamera.house.map(\.name))
    }

    @Test("a device is added or changed with 201, gets another token, and goes with all that it has")
    func devices() async throws {
        let body: JSONValue = [
            "device_id": "phone", "platform": "ios", "name": "P", "push_token": "any text",
        ]
        let first = try await send(.post, "devices", body)
        #expect(first.status == 201 && first["is_new"] == true)
        let again = try await send(.post, "devices", ["device_id": "phone", "platform": "web"])
        #expect(again.status == 201 && again["is_new"] == false && again["id"] == first["id"])
        #expect(again["platform"] == "web" && again["name"] == "P")
        #expect(hub.pushTokens.map(\.token) == ["any text"])
        let token: JSONValue = ["push_token": "bb"]
        #expect(try await send(.put, "devices/phone/token", token)["success"] == true)
        #expect(try await send(.put, "devices/other/token", token).status == 404)
        #expect(hub.pushTokens.map { [$0.device, $0.token] } == [["phone", "bb"]])
        let refresh = hub.makeTokens(for: "phone").refresh
        // The second is the client of this test.
        let list = try await send(.get, "devices")
        #expect(list["total"] == 2 && !String(decoding: list.bytes, as: UTF8.self).contains("bb"))
        #expect(try await send(.delete, "devices/phone").status == 204)
        #expect(try await send(.delete, "devices/phone").status == 404)
        #expect(hub.pushTokens.isEmpty && hub.log.contains(.revoked(device: "phone", count: 1)))
        let sent: JSONValue = ["refresh_token": .string(refresh), "device_id": first["id"] ?? .null]
        #expect(try await HubClient(hub).post("auth/refresh", sent).status == 401)
    }

    @Test("each dialect has its own calls and not those of the other")
    func dialects() async throws {
        let seed = HubClient(paired: ArgusHub())
        for path in ["cameras", "devices", "mobile/auth/status/123456"] {
            #expect(try await send(.get, path, as: seed).status == 404, "\(path)")
        }
        for path in ["mobile/events", "mobile/cameras"] { #expect(try await send(.get, path).status == 404) }
        let answer = try await send(.post, "mobile/auth/verify", [:], as: HubClient(hub))
        #expect(answer.status == 401 && answer.head[.wwwAuthenticate] == "Bearer")
        #expect(try await send(.post, "mobile/push/register", [:]).status == 404)
    }

    @Test("faults of pages, pictures and codes strike here too")
    func faults() async throws {
        try hub.faults.arm("argus.events.pageSizeIgnored", values: ["size": 3], atMost: 1)
        #expect(try await send(.get, "events?limit=2").ids.count == 3)
        try hub.faults.arm("argus.events.totalShrinks", values: ["count": 2], atMost: 1)
        #expect(try await send(.get, "events?limit=2")["total_count"] == 3)
        try hub.faults.arm("argus.event.missing", atMost: 1)
        #expect(try await send(.get, "events/evt_5").status == 404)
        try hub.faults.arm("argus.thumbnail.noPicture", atMost: 1)
        let path = "/api/v1/thumbnails/2026-01-01/event_evt_5.jpg"
        #expect(try await !HubClient(hub).send(.get, path).bytes.starts(with: [0xFF, 0xD8]))
        let code = try await code()
        #expect(hub.confirm(code))
        try hub.faults.arm("argus.codes.forgotten", atMost: 1)
        #expect(try await exchange(code).status == 401)
    }

    @Test("the description has each call of the dialect, and no other")
    func description() async throws {
        let paths = try await HubClient(hub).send(.get, "/openapi.json")["paths"]?.object ?? [:]
        #expect(paths.count == 17 && paths["/api/v1/mobile/auth/exchange"] != nil)
        #expect(paths["/api/v1/mobile/auth/verify"] == nil)
        for (path, calls) in paths {
            for name in calls.object?.keys.filter({ $0 != "parameters" }) ?? [] {
                let method = try #require(HTTPRequest.Method(rawValue: name.uppercased()))
                let answer = try await HubClient(admin: hub).send(method, path)
                #expect(![404, 405].contains(answer.status) || path.contains("{"), "\(method) \(path)")
            }
        }
    }

    @Test(
        "an event that is replaced is listed in its new form, in both dialects",
        arguments: ArgusProject.Dialect.allCases
    )
    func replaced(_ dialect: ArgusProject.Dialect) async throws {
        let events = (1...3).map { HubEvent(id: "evt_\($0)", timestamp: Self.start + Double($0)) }
        let hub = ArgusHub(ArgusProject(dialect: dialect, events: events))
        let path = dialect == .seed ? "mobile/events" : "events"
        func descriptions() async throws -> [String] {
            let answer = try await send(.get, path, as: HubClient(admin: hub))
            return answer["events"]?.array?.compactMap { $0["description"]?.string } ?? []
        }
        #expect(try await descriptions() == Array(repeating: "Something moved.", count: 3))
        hub.add(HubEvent(id: "evt_2", timestamp: Self.start + 2, description: "Replaced."))
        #expect(try await descriptions() == ["Something moved.", "Replaced.", "Something moved."])
        hub.removeEvent("evt_3")
        hub.add(HubEvent(id: "evt_4", timestamp: Self.start + 4, description: "New."))
        #expect(try await descriptions() == ["New.", "Replaced.", "Something moved."])
    }
}
