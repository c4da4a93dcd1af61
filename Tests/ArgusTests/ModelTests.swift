import Argus
import ArgusHub
import Foundation
import ServiceClient
import Testing

@Suite("Models of Argus")
struct ModelTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func again<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    @Test(
        "ARGUS-012 ARGUS-073 events, cameras and tokens are read from the JSON of the API, and are the same after writing and reading again"
    )
    func roundTrip() throws {
        let event = """
            {"id": "evt_123", "camera_id": "cam_1", "timestamp": "2026-01-05T12:00:00.123456Z", "detection_type": "person",
             "description": "Somebody", "thumbnail_url": "/t.jpg", "confidence": 93, "matched_entity": null}
            """
        let response = try read(
            EventsResponse.self,
            #"{"events": [\#(event)], "total": 42, "page": 2, "page_size": 20, "more": true}"#
        )
        #expect(response.total == 42 && response.page == 2 && response.pageSize == 20)
        let first = try #require(response.events.first)
        #expect(first.id == "evt_123" && first.cameraID == "cam_1" && first.detectionType == .person)
        #expect(first.description == "Somebody" && first.thumbnailURL == "/t.jpg")
        #expect(abs(first.timestamp.timeIntervalSince1970 - 1_767_614_400.123456) < 1e-6)
        #expect(try again(response) == response)

        let cameras = try read(
            CamerasResponse.self,
            #"{"cameras": [{"id": "c", "name": "Door", "is_enabled": true}]}"#
        )
        #expect(cameras.cameras == [Camera(id: "c", name: "Door")])
        #expect(try again(cameras) == cameras)

        let json = #"{"access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer"}"#
        let token = try read(AuthToken.self, json)
        #expect(token == AuthToken(accessToken: "a", refreshToken: "r", expiresIn: 3600))
        #expect(try again(token) == token)
    }

    @Test(
        "instants are read in each form that hubs write",
        arguments: [
            ("2026-01-05T12:00:00Z", 0.0), ("2026-01-05T12:00:00.5Z", 0.5),
            ("2026-01-05T12:00:00.123Z", 0.123),
            ("2026-01-05T12:00:00.123456Z", 0.123456), ("2026-01-05T12:00:00+00:00", 0),
            ("2026-01-05T12:00:00", 0),
            ("2026-01-05T14:00:00.25+02:00", 0.25),
        ]
    )
    func instants(_ text: String, _ fraction: Double) throws {
        let event = try read(Event.self, #"{"id": "e", "camera_id": "c", "timestamp": "\#(text)"}"#)
        #expect(abs(event.timestamp.timeIntervalSince1970 - 1_767_614_400 - fraction) < 1e-6)
        #expect(event.detectionType == .other && event.description.isEmpty && event.thumbnailURL == nil)
        #expect(abs(try again(event).timestamp.timeIntervalSince(event.timestamp)) < 1e-6)
    }

    @Test(
        "what is no event is refused",
        arguments: ["yesterday", "2026-13-05T12:00:00Z", "2026-01-05", "", "2026-01-05T12:00:00.Z"]
    )
    func refused(_ text: String) {
        #expect(throws: DecodingError.self) {
            try read(Event.self, #"{"id": "e", "camera_id": "c", "timestamp": "\#(text)"}"#)
        }
    }

    @Test("the five kinds of failure differ, and each has a description")
    func errors() {
        let errors: [APIError] = [.network, .unauthorized, .notFound, .server(status: 500), .decoding]
        #expect(Set(errors).count == 5)
        #expect(Set(errors.map(\.localizedDescription)).count == 5)
        #expect(errors.allSatisfy { $0.errorDescription?.isEmpty == false })
    }
}
