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
        guard let authority = request.hostAndPort, let address = Self.split(authority, scheme: request.scheme)
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

    /// Host and port of `host`, `host:port`, `[v6]` or `[v6]:port`, each with or without `user:password@` before it.
    private static func split(_ authority: String, scheme: String?) -> SocketAddress? {
        let standard = scheme == "https" || scheme == "wss" ? 443 : 80
        let authority = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        var host = authority
        var rest = ""[...]
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            rest = authority[colon...]
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return SocketAddress(host: String(host), port: standard) }
        guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65535).contains(port) else {
            return nil
        }
        return SocketAddress(host: String(host), port: port)
    }
}
