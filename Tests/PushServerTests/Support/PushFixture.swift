import Foundation
import HTTPTypes
import PeerKit
import PushServer
import PushWire
import SignedToken
import SimulatedTransport
import Testing
import Transport

/// A push service on a simulated network, with a provider that has its key.
struct PushFixture: Sendable {
    static let topic = "dev.example.app"
    static let otherTopic = "dev.example.other"
    static let payload =
        #"{"aps":{"alert":{"title":"Motion Detected","body":"Front Door Camera"}},"event_id":"evt_123"}"#
    static let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"

    /// What a request is refused with, or taken.
    struct Answer: Sendable {
        let status: Int
        let fields: HTTPFields
        let body: JSONValue

        var reason: String? { body["reason"]?.string }
        var id: String? { fields.value("apns-id") }
    }

    let signer = RepeatableSigner([UInt8](repeating: 7, count: 32))
    let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(5))))
    let service: PushServer

    init(_ change: (inout PushProject) -> Void = { _ in }) async throws {
        var project = PushProject(
            teamID: "TEAM000001",
            keys: [
                PushProject.Key(id: "KEY0000001", publicKey: try signer.publicKey()),
                PushProject.Key(
                    id: "KEY0000002",
                    publicKey: try signer.publicKey(),
                    topics: [Self.otherTopic]
                ),
            ],
            topics: [Self.topic, Self.otherTopic]
        )
        change(&project)
        service = PushServer(project)
        let host = network.host("push")
        _ = try await host.listen(service.deviceSide, at: SocketAddress(host: "push", port: 81))
        _ = try await host.listen(service.providerSide, at: SocketAddress(host: "push", port: 80))
    }

    /// A provider's token.
    func jwt(
        header: JSONValue = ["alg": "ES256", "kid": "KEY0000001"],
        team: String = "TEAM000001",
        age: Double = 0
    ) throws -> String {
        let issued = JSONValue.number(Date().timeIntervalSince1970.rounded() - age)
        let claims: JSONValue = ["iss": .string(team), "iat": issued]
        return try SignedToken.make(header: header.json, claims: claims.json, by: signer)
    }

    /// The fields of a request that is taken.
    func fields(_ changes: [String: String?] = [:]) throws -> HTTPFields {
        var all = [
            "authorization": "bearer \(try jwt())", "apns-topic": Self.topic, "apns-push-type": "alert",
            "apns-id": Self.id,
        ]
        for (name, value) in changes { all[name] = value }
        var fields = HTTPFields()
        for (name, value) in all { fields.set(name, value) }
        return fields
    }

    func send(
        to token: String,
        _ changes: [String: String?] = [:],
        payload: String = Self.payload
    ) async throws -> Answer {
        try await send("/3/device/\(token)", fields(changes), payload: payload)
    }

    func send(
        _ path: String,
        _ fields: HTTPFields,
        method: HTTPRequest.Method = .post,
        payload: String = Self.payload
    ) async throws -> Answer {
        let request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "push:80",
            path: path,
            headerFields: fields
        )
        let (head, body) = try await network.host("provider")
            .send(request, body: .bytes(Array(payload.utf8)), timeout: .seconds(30))
        let bytes = try await body.collect(upTo: 1 << 16)
        let json = (try? JSONValue(json: bytes)) ?? .null
        #expect(json.isNull == bytes.isEmpty)
        return Answer(status: head.status.code, fields: head.headerFields, body: json)
    }

    /// A device that has said hello.
    func device(
        _ environment: PushEnvironment = .production,
        topic: String = Self.topic,
        as installation: PushInstallation? = nil,
        host: String = "phone"
    ) async throws -> TestDevice {
        let socket = try await open(host: host)
        let hello = PushHello(environment: environment, topic: topic, installation: installation)
        try await socket.send(text: DeviceMessage.hello(hello).text)
        guard case .text(let text) = try await socket.receive(),
            case .welcome(let token, let installation) = try ServiceMessage(text)
        else { throw NoWelcome() }
        return TestDevice(socket: socket, token: token, installation: installation)
    }

    func open(host: String = "phone") async throws -> any WebSocket {
        let request = HTTPRequest(
            method: .get,
            scheme: "ws",
            authority: "push:81",
            path: PushServer.devicePath
        )
        return try await network.host(host).connect(request, limits: WebSocketLimits(), timeout: .seconds(10))
    }
}

struct NoWelcome: Error {}

/// A device that does what a test says.
struct TestDevice: Sendable {
    let socket: any WebSocket
    let token: String
    let installation: PushInstallation

    /// The next notification; fails where none comes.
    func next() async throws -> PushDelivery {
        guard case .text(let text) = try await socket.receive(),
            case .notification(let delivery) = try ServiceMessage(text)
        else { throw NoWelcome() }
        return delivery
    }

    func confirm(_ delivery: PushDelivery) async throws {
        try await socket.send(text: DeviceMessage.shown(number: delivery.number).text)
    }

    /// Breaks the connection, and waits until the service has noticed.
    func leave() async {
        await socket.close(.abnormal)
        try? await Task.sleep(for: .seconds(2))
    }
}
