import ArgusHub
import Foundation
import HTTPTypes
import JPEG
import PeerKit
import Services
import SimulationTesting
import Testing

@Suite("The simulated hub: events and cameras", .simulated(seeds: 1...3))
struct HubReadingTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// Events a second apart, of which the one with the largest number is the newest.
    private func events(_ numbers: ClosedRange<Int>) -> [HubEvent] {
        numbers.map { HubEvent(id: "evt_\($0)", timestamp: Self.start + Double($0)) }
    }

    private func hub(_ count: Int) -> ArgusHub { ArgusHub(ArgusProject(events: events(1...count))) }

    @Test("42 events are two pages of 20 and one of 2, newest first, and nothing after them")
    func pages() async throws {
        let phone = HubClient(paired: hub(42))
        var ids: [String] = []
        for (page, count) in [(1, 20), (2, 20), (3, 2), (4, 0), (Int.max, 0)] {
            let answer = try await phone.get("events?page=\(page)&page_size=20")
            #expect(answer.status == 200 && answer.ids.count == count)
            #expect(answer["total"] == 42 && answer["page"] == .integer(page) && answer["page_size"] == 20)
            ids += answer.ids
        }
        #expect(ids == (1...42).reversed().map { "evt_\($0)" })
        #expect(try await phone.get("events").ids == Array(ids.prefix(20)))
        #expect(try await phone.get("events?page_size=100").ids == ids)
    }

    @Test(
        "values that are no page and no size of one are refused with a list",
        arguments: [
            "page=0", "page=-1", "page=x", "page=", "page=1.5", "page_size=0", "page_size=101", "page_size=x",
            "page=99999999999999999999",
        ]
    )
    func badPages(_ query: String) async throws {
        let answer = try await HubClient(paired: hub(1)).get("events?\(query)")
        #expect(answer.status == 422)
        let name = try #require(query.split(separator: "=").first)
        #expect(answer["detail"]?.array?.first?["loc"] == ["query", .string(String(name))])
    }

    @Test("the largest page is the project's")
    func pageLimit() async throws {
        let phone = HubClient(paired: ArgusHub(ArgusProject(pageLimit: 7)))
        #expect(try await phone.get("events?page_size=7").status == 200)
        #expect(try await phone.get("events?page_size=8").status == 422)
    }

    @Test("an event that comes between two pages moves one to the next page, and one that goes skips one")
    func movingPages() async throws {
        let hub = hub(6)
        let phone = HubClient(paired: hub)
        #expect(try await phone.get("events?page_size=2").ids == ["evt_6", "evt_5"])
        hub.add(HubEvent(id: "new", timestamp: Self.start + 100))
        let second = try await phone.get("events?page_size=2&page=2")
        #expect(second.ids == ["evt_5", "evt_4"] && second["total"] == 7)
        hub.removeEvent("evt_6")
        hub.removeEvent("evt_6")
        let third = try await phone.get("events?page_size=2&page=3")
        #expect(third.ids == ["evt_2", "evt_1"] && third["total"] == 6)
        #expect(hub.log.filter { $0 == .eventRemoved(id: "evt_6") }.count == 1)
    }

    @Test("of one time the event that was added last is the newest, and one of a known ID replaces it")
    func order() async throws {
        let hub = ArgusHub()
        for id in ["a", "b", "c"] { hub.add(HubEvent(id: id, timestamp: Self.start)) }
        hub.add(HubEvent(id: "old", timestamp: Self.start - 1))
        hub.add(HubEvent(id: "b", timestamp: Self.start - 2, description: "Changed."))
        #expect(hub.events.map(\.id) == ["c", "a", "old", "b"])
        let phone = HubClient(paired: hub)
        #expect(try await phone.get("events").ids == ["c", "a", "old", "b"])
        #expect(try await phone.get("events/b")["description"] == "Changed.")
    }

    @Test("an event has its fields, other ones that it was given, and a path to its picture that leads there")
    func fields() async throws {
        let event = HubEvent(
            id: "evt 1/ä",
            cameraID: "cam_garden",
            timestamp: Self.start + 0.123456,
            detectionType: "person",
            description: "Somebody waters the roses.",
            extras: ["confidence": 87, "matched_entity": nil]
        )
        let phone = HubClient(paired: ArgusHub(ArgusProject(events: [event])))
        let path = "/api/v1/mobile/events/evt%201%2F%C3%A4"
        let expected: JSONValue = [
            "id": "evt 1/ä", "camera_id": "cam_garden", "timestamp": "2026-01-01T00:00:00.123456Z",
            "detection_type": "person", "description": "Somebody waters the roses.",
            "thumbnail_url": .string("\(path)/thumbnail"), "confidence": 87, "matched_entity": nil,
        ]
        #expect(try await phone.get("events")["events"] == [expected])
        #expect(try await phone.send(.get, path).json == expected)
        let picture = try await phone.send(.get, "\(path)/thumbnail")
        #expect(picture.status == 200 && picture.head[.contentType] == "image/jpeg")
    }

    @Test(
        "times have six digits of a fraction, or none, and always a zone",
        arguments: [
            (0, "2026-01-01T00:00:00Z"), (0.5, "2026-01-01T00:00:00.500000Z"),
            (0.000001, "2026-01-01T00:00:00.000001Z"), (86_399.999999, "2026-01-01T23:59:59.999999Z"),
            (-0.25, "2025-12-31T23:59:59.750000Z"), (0.9999999, "2026-01-01T00:00:01Z"),
            (-1_767_225_600.5, "1969-12-31T23:59:59.500000Z"),
        ]
    )
    func times(_ offset: Double, _ text: String) async throws {
        let event = HubEvent(id: "a", timestamp: Self.start + offset)
        let phone = HubClient(paired: ArgusHub(ArgusProject(events: [event])))
        #expect(try await phone.get("events/a")["timestamp"] == .string(text))
    }

    @Test("what is not there is 404 with its name, and letter case of an ID counts")
    func absent() async throws {
        let phone = HubClient(paired: hub(1))
        for id in ["EVT_1", "recent", "evt_2", "%00", "evt_1%20"] {
            let answer = try await phone.get("events/\(id)")
            #expect(answer.status == 404 && answer.detail?.hasPrefix("Event ") == true, "\(id)")
            #expect(try await phone.get("events/\(id)/thumbnail").status == 404)
        }
        #expect(try await phone.get("events/").status == 404)
        #expect(try await phone.get("cameras/").status == 404)
    }

    @Test("a picture is a small JPEG, and shows which event of the hub it belongs to")
    func pictures() async throws {
        let hub = hub(300)
        let phone = HubClient(paired: hub)
        for number in [1, 2, 255, 300] {
            let answer = try await phone.get("events/evt_\(number)/thumbnail")
            #expect(answer.head[.cacheControl] == "private, max-age=86400")
            #expect((1000..<50_000).contains(answer.bytes.count))
            let picture = try JPEGDecoder().decode(answer.bytes, layout: .i420)
            #expect(picture.size == PixelSize(width: 320, height: 180))
            // 16 bars of 20 pixels, the highest bit first, in the 20 upper rows.
            let shown = unsafe picture.withBytes { bytes in
                (0..<16).reduce(0) { unsafe $0 * 2 + (bytes[10 * 320 + $1 * 20 + 10] > 128 ? 1 : 0) }
            }
            #expect(shown == number)
            #expect(try await phone.get("events/evt_\(number)/thumbnail").bytes == answer.bytes)
        }
    }

    @Test("an event without a picture says so, and one whose picture is elsewhere says where")
    func noPicture() async throws {
        let hub = ArgusHub()
        hub.add(HubEvent(id: "a", timestamp: Self.start, thumbnail: .absent))
        hub.add(HubEvent(id: "b", timestamp: Self.start, thumbnail: .at("https://elsewhere.example/b.jpg")))
        let phone = HubClient(paired: hub)
        #expect(try await phone.get("events/a")["thumbnail_url"] == .null)
        #expect(try await phone.get("events/a/thumbnail").status == 404)
        #expect(try await phone.get("events/b")["thumbnail_url"] == "https://elsewhere.example/b.jpg")
    }

    @Test("cameras come in their order, with what else they were given")
    func cameras() async throws {
        let phone = HubClient(paired: ArgusHub())
        let names = try await phone.get("cameras")["cameras"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == HubCamera.house.map(\.name))
        let cameras = [
            HubCamera(id: "z", name: "Z", extras: ["is_online": false]), HubCamera(id: "a", name: ""),
        ]
        let other = HubClient(paired: ArgusHub(ArgusProject(cameras: cameras)))
        #expect(
            try await other.get("cameras").json == [
                "cameras": [
                    ["id": "z", "name": "Z", "is_enabled": true, "is_online": false],
                    ["id": "a", "name": "", "is_enabled": true],
                ]
            ]
        )
    }

    @Test("the admin adds and removes events")
    func admin() async throws {
        let hub = ArgusHub()
        let admin = HubClient(admin: hub)
        func add(_ json: JSONValue) async throws -> HubClient.Answer {
            try await admin.send(.post, "/api/v1/events", json: json)
        }
        let first = try await add([
            "camera_id": "cam_front", "description": "A parcel.", "detection_type": "package",
            "timestamp": "2026-01-05T12:00:00.250000Z", "id": "evt_123", "confidence": 80,
        ])
        #expect(first.status == 201 && first["confidence"] == 80)
        #expect(first["timestamp"] == "2026-01-05T12:00:00.250000Z")
        let second = try await add(["camera_id": "cam_front", "description": "Wind."])
        let id = try #require(second["id"]?.string)
        #expect(id.hasPrefix("evt_") && second["detection_type"] == "motion")
        let event = try #require(hub.events.first { $0.id == id })
        #expect(abs(event.timestamp.timeIntervalSinceNow) < 1)
        for (text, written) in [
            ("2026-01-05T12:00:00+01:00", "2026-01-05T11:00:00Z"),
            ("2026-01-05T12:00:00", "2026-01-05T12:00:00Z"),
        ] {
            let answer = try await add([
                "camera_id": "c", "description": "d", "timestamp": .string(text), "id": "zone",
            ])
            #expect(answer["timestamp"] == .string(written))
        }
        for json in [
            ["camera_id": "c"], ["description": "d"], ["camera_id": "c", "description": ""],
            ["camera_id": "c", "description": "d", "timestamp": "yesterday"],
        ] as [JSONValue] { #expect(try await add(json).status == 422, "\(json)") }
        #expect(try await admin.send(.delete, "/api/v1/events/\(id)").status == 204)
        #expect(try await admin.send(.delete, "/api/v1/events/\(id)").status == 404)
        #expect(!hub.events.contains { $0.id == id })
    }

    @Test(
        "anybody may ask which hub it is and what it takes; other methods are named with those that there are"
    )
    func openCalls() async throws {
        let hub = ArgusHub(ArgusProject(hubID: "kitchen"))
        let stranger = HubClient(hub)
        let health = try await stranger.send(.get, "/health")
        #expect(health.json == ["status": "healthy", "hub_id": "kitchen"])
        let paths = try await stranger.send(.get, "/openapi.json")["paths"]?.object ?? [:]
        #expect(paths.count == 15)
        for method in [HTTPRequest.Method.head, .options, .put] {
            let answer = try await stranger.send(method, "/health")
            #expect(answer.status == 405 && answer.head[.allow] == "GET")
            #expect(answer.bytes.isEmpty == (method == .head))
        }
        // Each call of the description is there, and what is refused is refused for lack of a token or of a body.
        for (path, calls) in paths {
            for name in calls.object?.keys.filter({ $0 != "parameters" }) ?? [] {
                let method = try #require(HTTPRequest.Method(rawValue: name.uppercased()))
                let answer = try await HubClient(admin: hub).send(method, path)
                #expect(![404, 405].contains(answer.status) || path.contains("{id}"), "\(method) \(path)")
            }
        }
        #expect(try await HubClient(admin: hub).send(.get, "/openapi.json").status == 200)
    }

    @Test("requests are counted, and kept with their token and body")
    func log() async throws {
        let hub = ArgusHub()
        let phone = HubClient(paired: hub)
        _ = try await phone.get("events?page=2")
        _ = try await HubClient(hub).post("auth/refresh", ["refresh_token": "x"])
        let token = try #require(phone.authorization).dropFirst("Bearer ".count)
        #expect(
            hub.log == [
                .requested(
                    method: "GET",
                    path: "/api/v1/mobile/events?page=2",
                    token: String(token),
                    body: nil
                ),
                .requested(
                    method: "POST",
                    path: "/api/v1/mobile/auth/refresh",
                    token: nil,
                    body: ["refresh_token": "x"]
                ),
                .refused(path: "/api/v1/mobile/auth/refresh", status: 401),
            ]
        )
        #expect(hub.requestCount == 2)
    }
}
