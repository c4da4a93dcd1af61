public import Conformance
public import Transport

/// What the suite needs of a transport's author: a client, and a host that the client reaches.
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(_ test: TransportConformance.Case) async throws {
///     try await test.run(with: TransportHarness(client: myTransport, host: myHost))
/// }
/// ```
public struct TransportHarness: Harness {
    /// The transport on trial.
    public var client: any Transport
    /// Where the suite's servers listen.
    public var host: any ServerHost
    /// The address at which they listen; the host chooses the port where it is 0.
    public var address: SocketAddress
    /// Where the suite binds datagram sockets on the client.
    public var datagramAddress: SocketAddress
    /// The longest wait for anything that must happen; no case expects that something does not happen within it.
    public var patience: Duration
    /// What both ends can do.
    public var capabilities = Set(TransportCapability.allCases)

    /// Makes a harness; by default both ends are on this machine's loopback address.
    public init(
        client: any Transport,
        host: any ServerHost,
        address: SocketAddress = .loopback(),
        datagramAddress: SocketAddress = .loopback(),
        patience: Duration = .seconds(240)
    ) {
        self.client = client
        self.host = host
        self.address = address
        self.datagramAddress = datagramAddress
        self.patience = patience
    }
}

/// What not every pair of ends can do.
public enum TransportCapability: String, Sendable, Hashable, CaseIterable {
    /// A case can look into its server while that runs: both are in one process and in one world. A recording and a server outside
    /// of the simulation cannot.
    case observation
}
