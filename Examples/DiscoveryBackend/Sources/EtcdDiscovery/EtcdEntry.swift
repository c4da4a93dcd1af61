public import Foundation
public import Services
import Transport

/// What the value of a key says of a service, as JSON.
public struct EtcdEntry: Codable, Sendable, Hashable {
    /// One attribute of the service.
    public struct Attribute: Codable, Sendable, Hashable {
        /// As `ServiceAttributes` requires it.
        public var key: String
        /// In base 64; absent for a key that is only present.
        public var value: Data?
    }

    /// The name of the service's host.
    public var host: String
    /// Literal IPv4 and IPv6 addresses.
    public var addresses: [String]
    /// Where it listens, 1…65535.
    public var port: Int
    /// What it says of itself, in its order.
    public var attributes: [Attribute]

    /// What is written of an offer.
    public init(_ offer: ServiceOffer, host: String, addresses: [String]) {
        (self.host, self.addresses, port) = (host, addresses, offer.port)
        attributes = offer.attributes.entries.map {
            Attribute(key: $0.key, value: $0.value.map { Data($0) })
        }
    }

    /// The service; `nil` where what was written is none, whoever wrote it.
    func service(_ name: String, _ type: ServiceType, until end: ContinuousClock.Instant)
        -> DiscoveredService?
    {
        let isName = (1...63).contains(name.utf8.count) && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        var seen: Set<String> = []
        let usable = addresses.prefix(Self.mostAddresses).filter {
            IPAddress($0) != nil && seen.insert($0).inserted
        }
        guard isName, !host.isEmpty, (1...65_535).contains(port), !usable.isEmpty else { return nil }
        return DiscoveredService(
            name: name,
            type: type,
            host: host,
            attributes: ServiceAttributes(
                attributes.map { .init(key: $0.key, value: $0.value.map { Array($0) }) }
            ),
            // The registry does not know this device's interfaces.
            ways: usable.map { ServiceWay(interface: "", address: $0, port: port) },
            expires: end
        )
    }

    private static let mostAddresses = 16
}
