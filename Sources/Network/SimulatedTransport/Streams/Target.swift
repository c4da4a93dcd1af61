import HTTPTypes
import Transport

/// Where a request goes.
struct Target: Sendable {
    /// The name, or the literal address, as the request has it.
    let name: String
    let port: Int
    /// The addresses, when they are known without a look-up.
    let addresses: [IPAddress]?
    /// Scheme, authority and path without the query, which may carry a key.
    let peer: String

    /// Reads what a request names.
    init(_ request: HTTPRequest, from host: SimulatedHost, operation: String) throws(TransportError) {
        let peer = request.loggedURL
        func failure(_ code: TransportError.Code, _ detail: String) -> TransportError {
            TransportError(code, operation: operation, peer: peer, detail: detail, reach: .notSent)
        }
        let standard = request.scheme == "https" || request.scheme == "wss" ? 443 : 80
        guard let authority = request.hostAndPort,
            let address = SocketAddress(authority: authority, port: standard)
        else {
            throw failure(.protocolViolation, "no authority, or none that can be understood")
        }
        guard request.path?.hasPrefix("/") == true || request.path == "*" else {
            throw failure(.protocolViolation, "no path")
        }
        addresses = host.ownAddresses(address.host)
        guard addresses != nil || host.network.knows(address.host) else {
            throw failure(.unreachable, "no host is called \(address.host)")
        }
        name = address.host
        self.port = address.port
        self.peer = peer
    }
}
