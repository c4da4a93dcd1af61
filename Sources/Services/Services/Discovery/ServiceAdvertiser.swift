/// Makes services of this device known on the local network.
public protocol ServiceAdvertiser: Sendable {
    /// Begins to advertise a service on all interfaces, those included that come later.
    ///
    /// It returns at once; ``ServiceAdvertisement/states()`` says when the service is published, and under which name.
    ///
    /// - Throws: `invalid` for a name, attributes or a port that cannot be advertised.
    func advertise(_ service: ServiceOffer) throws(DiscoveryError) -> any ServiceAdvertisement
}

/// A service that is to be advertised.
public struct ServiceOffer: Sendable, Hashable {
    /// What people call it: 1 to 63 bytes of UTF-8 without control characters.
    ///
    /// Another service may have the name already: then it gets a number.
    public var name: String
    /// Its kind.
    public var type: ServiceType
    /// Where it listens, 1…65535.
    public var port: Int
    /// What it says of itself; at most ``ServiceAttributes/mostBytes`` bytes.
    public var attributes: ServiceAttributes

    /// Makes a value of its parts.
    public init(name: String, type: ServiceType, port: Int, attributes: ServiceAttributes = [:]) {
        (self.name, self.type, self.port, self.attributes) = (name, type, port, attributes)
    }
}

/// How an advertised service stands.
public enum AdvertisementState: Sendable, Hashable {
    /// Its name is being claimed, or no interface is there: with the reason.
    case pending(DiscoveryError?)
    /// Others can find it under this name, on at least one interface.
    case published(name: String)
    /// It was withdrawn.
    case withdrawn
}

/// A service that is being advertised, until it is withdrawn or released.
///
/// Where it is released without being withdrawn, it ends as in a crash: others list it until what they know of it expires.
public protocol ServiceAdvertisement: Sendable {
    /// How it stands now.
    var state: AdvertisementState { get }

    /// How it stands, then each change; the name may change at any time, when another service turns out to have it.
    ///
    /// Ends when it is withdrawn, with the reader's task, and when the advertisement is released.
    func states() -> AsyncStream<AdvertisementState>

    /// Replaces what the service says of itself, and tells the network.
    ///
    /// - Throws: `invalid` for too many bytes.
    func setAttributes(_ attributes: ServiceAttributes) throws(DiscoveryError)

    /// Ends it: others learn that the service is gone. Returns when that was sent; again, it changes nothing.
    func withdraw() async
}
