import Transport

/// Who is reachable, and what is running for whom.
struct DirectRegistry {
    /// By authority, `host:port` in lower case.
    var servers: [String: any Server] = [:]
    var tasks: [Int: (authority: String, task: Task<Void, Never>)] = [:]
    var nextTask = 0
    /// The first of the dynamic ports (RFC 6335 section 6).
    private var nextPort = 49152

    /// Takes an address for a server; `nil` when it is taken, or when no port is left.
    mutating func claim(_ address: SocketAddress, for server: any Server) -> SocketAddress? {
        var address = address
        if address.port == 0 {
            while nextPort <= 65535, servers[key(address.host, nextPort)] != nil { nextPort += 1 }
            guard nextPort <= 65535 else { return nil }
            address.port = nextPort
            nextPort += 1
        }
        let authority = key(address.host, address.port)
        guard servers[authority] == nil else { return nil }
        servers[authority] = server
        return address
    }

    private func key(_ host: String, _ port: Int) -> String {
        SocketAddress(host: host, port: port).description.lowercased()
    }
}
