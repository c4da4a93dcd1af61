/// A service that was found on the local network, with all that is needed to call it.
///
/// It is a hint, and no proof: anybody on the network can say anything of any service. Whoever trusts a service with a secret must know
/// it by something else, such as its certificate.
public struct DiscoveredService: Sendable, Hashable {
    /// What people call it, such as `Living Room`: its instance's name, any text of at most 63 bytes without control characters.
    public var name: String
    /// Its kind.
    public var type: ServiceType
    /// The name of its host, such as `hub.local`.
    public var host: String
    /// What it says of itself.
    public var attributes: ServiceAttributes
    /// Where it can be reached, at least one way: of each interface, addresses that are being replaced last, then link-local ones, then IPv4 before IPv6.
    public var ways: [ServiceWay]
    /// When the first part of what is known of it ends, unless it is heard of again.
    public var expires: ContinuousClock.Instant

    /// Makes a value of its parts.
    public init(
        name: String,
        type: ServiceType,
        host: String,
        attributes: ServiceAttributes,
        ways: [ServiceWay],
        expires: ContinuousClock.Instant
    ) {
        (self.name, self.type, self.host) = (name, type, host)
        (self.attributes, self.ways, self.expires) = (attributes, ways, expires)
    }
}

/// What a browser knows at one moment.
public struct ServiceListing: Sendable, Hashable {
    /// All services of the type that are known with at least one address, ordered by name.
    public var services: [DiscoveredService]
    /// Why nothing can be found now; `nil` while at least one interface is listened to.
    public var trouble: DiscoveryError?

    /// Makes a value of its parts.
    public init(services: [DiscoveredService] = [], trouble: DiscoveryError? = nil) {
        (self.services, self.trouble) = (services, trouble)
    }
}
