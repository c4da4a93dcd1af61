package import PeerKit
package import Transport

/// A server that `lenssim serve` puts on a socket, and what its clients have to know.
package struct ServedServer: Sendable {
    /// The server.
    package let server: any Server
    /// Where a plan of faults is armed; `nil` for a server that has no fault points.
    package let faults: PeerFaults?
    /// What clients have to know, by the server's address, such as `http://127.0.0.1:8080`.
    package let facts: @Sendable (String) -> [ServedFacts.Fact]
    /// Starts what it has besides, once the server can be used; `nil` where there is nothing.
    package let beside: (@Sendable (ServedBeside.Place) async throws -> ServedBeside)?

    /// Makes it of a server that is on no socket yet.
    package init(
        _ server: any Server,
        faults: PeerFaults? = nil,
        beside: (@Sendable (ServedBeside.Place) async throws -> ServedBeside)? = nil,
        facts: @escaping @Sendable (String) -> [ServedFacts.Fact]
    ) {
        (self.server, self.faults, self.facts) = (server, faults, facts)
        self.beside = beside
    }
}
