/// How a network address translator treats datagrams, in the words of RFC 4787.
public struct NATBehaviour: Sendable, Hashable {
    /// Whether one inside endpoint has one public port, or one for each peer (RFC 4787 section 4.1).
    public enum Mapping: Sendable, Hashable {
        /// One public port for all peers: a cone.
        case endpointIndependent
        /// A public port for each peer: symmetric. What one peer learns of it is of no use to another.
        case addressAndPortDependent
    }

    /// Whose datagrams a public port takes (RFC 4787 section 5).
    public enum Filtering: Sendable, Hashable {
        /// From everybody, once it is in use.
        case endpointIndependent
        /// From addresses to which something was sent.
        case addressDependent
        /// From endpoints to which something was sent.
        case addressAndPortDependent
    }

    /// How public ports are given.
    public var mapping: Mapping
    /// Whose datagrams are let in.
    public var filtering: Filtering
    /// How long a mapping lasts after the last datagram that went out through it.
    ///
    /// RFC 4787 section 4.3 asks for two minutes at least; many routers have 30 s.
    public var mappingTimeout: Duration
    /// How long a stream may be idle before the translator forgets it, and lets nothing of it pass any more.
    ///
    /// RFC 5382 section 5 asks for two hours and four minutes at least; many mobile networks have less than half an hour.
    public var streamTimeout: Duration
    /// Whether two hosts behind the same translator reach each other by its public address.
    public var isHairpinning: Bool

    /// Makes a behaviour of its parts.
    public init(
        mapping: Mapping,
        filtering: Filtering,
        mappingTimeout: Duration = .seconds(120),
        streamTimeout: Duration = .seconds(7440),
        isHairpinning: Bool = false
    ) {
        self.mapping = mapping
        self.filtering = filtering
        self.mappingTimeout = mappingTimeout
        self.streamTimeout = streamTimeout
        self.isHairpinning = isHairpinning
    }

    /// One public port for all peers, open to everybody.
    public static let fullCone = NATBehaviour(mapping: .endpointIndependent, filtering: .endpointIndependent)
    /// One public port for all peers, open to addresses that were sent something.
    public static let restrictedCone = NATBehaviour(
        mapping: .endpointIndependent,
        filtering: .addressDependent
    )
    /// One public port for all peers, open to endpoints that were sent something: most home routers.
    public static let portRestrictedCone = NATBehaviour(
        mapping: .endpointIndependent,
        filtering: .addressAndPortDependent
    )
    /// A public port for each peer, open to it alone: most mobile networks.
    public static let symmetric = NATBehaviour(
        mapping: .addressAndPortDependent,
        filtering: .addressAndPortDependent
    )
}
