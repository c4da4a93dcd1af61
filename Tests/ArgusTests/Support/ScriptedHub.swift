import Argus
import Foundation
import HTTPTypes
import PeerKit
import ServiceClient
import Services
import SimulatedDevice
import Synchronization
import Transport

/// A hub that answers each call with a status of a test's choice: `nil` breaks the connection.
final class ScriptedHub: HTTPClient {
    private let body: JSONValue
    private let status: @Sendable (HTTPRequest) -> Int?
    private let count = Mutex(0)

    init(body: JSONValue = ["detail": "no"], status: @escaping @Sendable (HTTPRequest) -> Int?) {
        (self.body, self.status) = (body, status)
    }

    /// How many requests have come.
    var requests: Int { count.withLock(\.self) }

    func send(
        _ request: HTTPRequest,
        body sent: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        count.withLock { $0 += 1 }
        guard let status = status(request) else {
            throw TransportError(.reset, operation: "send request", peer: "hub", detail: "scripted")
        }
        return PeerAnswer.json(body, status: status).response
    }
}

/// A server on the network that answers each call alike.
struct AlikeServer: Server {
    let answer: PeerAnswer

    func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) { answer.response }
}

/// What an app has called, in order.
final class CallOrder: Sendable {
    private let calls = Mutex<[String]>([])

    var all: [String] { calls.withLock(\.self) }

    func note(_ call: String) { calls.withLock { $0.append(call) } }
}

private struct NotedBrowser: ServiceBrowser {
    let base: any ServiceBrowser
    let calls: CallOrder

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        calls.note("browse")
        return base.listings(of: type)
    }

    func reconfirm(_ service: DiscoveredService) async { await base.reconfirm(service) }
}

private struct NotedReceiver: PushReceiver {
    let base: any PushReceiver
    let calls: CallOrder

    func requestAuthorization() async -> Bool {
        calls.note("ask for permission")
        return await base.requestAuthorization()
    }

    func deviceTokens() -> AsyncStream<[UInt8]> { base.deviceTokens() }
    func arrivals() -> AsyncStream<PushNotification> { base.arrivals() }
    func taps() -> AsyncStream<PushNotification> { base.taps() }
}

private struct NotedSecrets: SecretStore {
    let base: any SecretStore
    let calls: CallOrder

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        calls.note("read \(name)")
        return try base.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        calls.note("write \(name)")
        try base.set(secret, named: name)
    }
}

extension ArgusFixture {
    /// An app with the same device, whose calls are noted.
    func app(notedBy calls: CallOrder) -> ArgusApp {
        ArgusApp(
            ArgusEnvironment(
                http: http,
                browser: NotedBrowser(base: browser, calls: calls),
                relay: ServiceAddress("http://\(Self.relay)"),
                secrets: NotedSecrets(base: secrets, calls: calls),
                push: NotedReceiver(base: push, calls: calls),
                device: SimulatedDeviceInformation(),
                dialect: dialect
            )
        )
    }

    /// An app with the same device, over another way to the hub.
    func app(over http: any HTTPClient, api: (any HubAPI)? = nil) -> ArgusApp {
        ArgusApp(
            ArgusEnvironment(
                http: http,
                browser: browser,
                relay: ServiceAddress("http://\(Self.relay)"),
                secrets: secrets,
                push: push,
                device: SimulatedDeviceInformation(),
                dialect: dialect
            ),
            api: api
        )
    }
}
