/// On which interfaces services are looked for and advertised.
public struct LinkSettings: Sendable, Hashable {
    /// The most interfaces that are used; further ones are left out, by their numbers.
    package static let mostLinks = 16

    /// The names of the interfaces; `nil` for all but the loopback.
    public var interfaces: Set<String>?
    /// How often it is looked for interfaces and addresses that have come or gone.
    public var lookInterval: Duration

    /// Makes settings: all interfaces, looked for every two seconds.
    public init(interfaces: Set<String>? = nil, lookInterval: Duration = .seconds(2)) {
        (self.interfaces, self.lookInterval) = (interfaces, lookInterval)
    }
}
