extension SocketAddress {
    /// Host and port of an authority: `host`, `host:port`, `[v6]` or `[v6]:port` (RFC 3986 section 3.2).
    ///
    /// `nil` for what is none of these, also for one with a user or a password.
    ///
    /// - Parameter standard: The port where none is given.
    package init?(authority: String, port standard: Int) {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else {
            let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            host = authority[..<colon]
            rest = authority[colon...]
        }
        if host.isEmpty || host.utf8.contains(UInt8(ascii: "@")) { return nil }
        if rest.isEmpty {
            self.init(host: String(host), port: standard)
            return
        }
        guard rest.utf8.first == UInt8(ascii: ":"), let port = Int(Substring(rest.utf8.dropFirst())),
            (1...65_535).contains(port)
        else { return nil }
        self.init(host: String(host), port: port)
    }
}
