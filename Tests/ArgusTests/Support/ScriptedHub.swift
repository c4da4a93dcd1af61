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

extension ArgusFixture {
    /// An app with the same device, over another way to the hub.
    func app(over http: any HTTPClient, api: (any HubAPI)? = nil) -> ArgusApp {
        ArgusApp(
            ArgusEnvironment(
                http: http,
                browser: browser,
                relay: ServiceAddress("http://\(Self.relay)"),
                secrets: secrets,
                push: push,
                device: SimulatedDeviceInformation()
            ),
            api: api
        )
    }
}
