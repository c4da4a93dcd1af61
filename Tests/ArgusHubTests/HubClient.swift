import ArgusHub
import HTTPTypes
import PeerKit
import Testing
import Transport

/// A phone that talks to a hub, without a network between them.
struct HubClient: Sendable {
    /// What a call has come to.
    struct Answer: Sendable {
        let status: Int
        let head: HTTPFields
        let bytes: [UInt8]

        /// The body as JSON, or null.
        var json: JSONValue { (try? JSONValue(json: bytes)) ?? .null }
        /// `detail` where it is a text.
        var detail: String? { json["detail"]?.string }
        /// The IDs of the events of a page.
        var ids: [String] { json["events"]?.array?.compactMap { $0["id"]?.string } ?? [] }

        subscript(name: String) -> JSONValue? { json[name] }
    }

    static let device = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

    let hub: ArgusHub
    /// The whole field `Authorization`; none where it is `nil`.
    var authorization: String?

    /// A phone that is not paired.
    init(_ hub: ArgusHub) { self.hub = hub }

    /// A phone that is paired.
    init(paired hub: ArgusHub, device: String = HubClient.device) {
        self.hub = hub
        authorization = "Bearer \(hub.makeTokens(for: device).access)"
    }

    /// The page of the hub.
    init(admin hub: ArgusHub) {
        self.hub = hub
        authorization = "Bearer \(hub.project.adminToken)"
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        text: String? = nil,
        json: JSONValue? = nil,
        _ fields: HTTPFields = [:]
    ) async throws -> Answer {
        var request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "hub:8000",
            path: path,
            headerFields: fields
        )
        if let authorization { request.headerFields[.authorization] = authorization }
        let body: HTTPBody =
            if let json { .bytes(json.json) } else if let text { .text(text) } else { .empty }
        let answer = await hub.respond(to: request, body: body)
        let bytes = try await answer.body.collect(upTo: 1 << 22)
        return Answer(status: answer.head.status.code, head: answer.head.headerFields, bytes: bytes)
    }

    func get(_ path: String) async throws -> Answer { try await send(.get, "/api/v1/mobile/\(path)") }

    func post(_ path: String, _ json: JSONValue) async throws -> Answer {
        try await send(.post, "/api/v1/mobile/\(path)", json: json)
    }

    func verify(_ code: String, device: String = HubClient.device) async throws -> Answer {
        try await post(
            "auth/verify",
            ["code": .string(code), "device_id": .string(device), "device_name": "Ada's phone"]
        )
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("auth/refresh", ["refresh_token": .string(token)])
    }

    func register(_ token: String, platform: String = "ios") async throws -> Answer {
        try await post(
            "push/register",
            ["push_token": .string(token), "platform": .string(platform)]
        )
    }
}
