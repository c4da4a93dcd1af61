import SimulatedTransport
import Transport

extension SimulatedNetwork {
    /// A client on a network without delay, where `server` is the host `peer`.
    static func client(of server: any Server) async throws(TransportError) -> SimulatedHost {
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.zero)))
        _ = try await network.host("peer").listen(server, at: SocketAddress(host: "peer", port: 80))
        return network.host("client")
    }
}
