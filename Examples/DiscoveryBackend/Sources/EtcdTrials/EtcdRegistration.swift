import EtcdDiscovery
import Foundation
public import ServiceClient
public import Services
import Synchronization
public import Transport

/// A service that is written in an etcd, under a lease that is renewed until it is withdrawn, or its writer crashes.
public final class EtcdRegistration: Sendable {
    /// Seconds that an entry stays when nobody renews it: the registry's own least is 2 with its usual settings.
    private static let lifetime = 4
    private static let pause = Duration.seconds(1)

    private let client: ServiceClient
    private let key: Data
    private let lease: String
    private let offer: Mutex<(ServiceOffer, address: String)>
    private let renewing = Mutex<Task<Void, Never>?>(nil)

    /// Writes a service.
    public init(
        _ http: any HTTPClient,
        at registry: ServiceAddress,
        _ offer: ServiceOffer,
        address: String
    ) async throws {
        let client = ServiceClient(http, policy: .once) { registry }
        key = Data("/services/\(offer.type)/\(offer.name)".utf8)
        self.offer = Mutex((offer, address))
        self.client = client
        let granted: Lease = try await client.send(.post("/v3/lease/grant", ["TTL": Self.lifetime]))
        lease = granted.ID
        try await write()
        let lease = lease
        let renewal = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                _ = try? await client.answer(to: .post("/v3/lease/keepalive", ["ID": lease]))
            }
        }
        renewing.withLock { $0 = renewal }
    }

    private struct Lease: Decodable { let ID: String }
    private struct Put: Encodable {
        let key: Data
        let value: Data
        let lease: String
    }

    private func write() async throws {
        let (offer, address) = offer.withLock { $0 }
        let entry = EtcdEntry(offer, host: "\(offer.name).example", addresses: [address])
        let put = Put(key: key, value: try JSONEncoder().encode(entry), lease: lease)
        _ = try await client.answer(to: .post("/v3/kv/put", put))
    }

    /// Replaces what the service says of itself.
    public func change(to attributes: ServiceAttributes) async throws {
        offer.withLock { $0.0.attributes = attributes }
        try await write()
    }

    /// Gives the service another address.
    public func move(to address: String) async throws {
        offer.withLock { $0.address = address }
        try await write()
    }

    /// Renews its entry no longer.
    public func crash() { renewing.withLock { $0.take() }?.cancel() }

    /// Removes its entry.
    public func withdraw() async throws {
        crash()
        _ = try await client.answer(to: .post("/v3/kv/deleterange", ["key": key]))
    }
}
