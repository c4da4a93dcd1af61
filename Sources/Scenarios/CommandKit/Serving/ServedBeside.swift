package import Transport

/// What a service has besides its server on the first socket: further sockets, or something that makes it known.
package struct ServedBeside: Sendable {
    /// Where the server is, and where further ones may be.
    package struct Place: Sendable {
        /// Where the server was started.
        package let address: SocketAddress
        /// The same as a URL.
        package let url: String
        /// Listens on the addresses that the command line allows.
        package let sockets: any ServerHost

        /// Describes a place.
        package init(address: SocketAddress, url: String, sockets: any ServerHost) {
            (self.address, self.url, self.sockets) = (address, url, sockets)
        }
    }

    /// What clients have to know of it.
    package let facts: [ServedFacts.Fact]
    /// Ends it.
    package let stop: @Sendable () async -> Void

    /// Makes it of its parts.
    package init(facts: [ServedFacts.Fact], stop: @escaping @Sendable () async -> Void) {
        (self.facts, self.stop) = (facts, stop)
    }
}
