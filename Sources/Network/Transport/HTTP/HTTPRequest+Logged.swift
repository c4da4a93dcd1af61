package import HTTPTypes

extension HTTPRequest {
    /// Scheme, authority and path, for errors and logs.
    ///
    /// Without what may be a credential: the user and password of an authority, the query and the fragment.
    package var loggedURL: String {
        let path = (path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return "\(scheme ?? "?")://\(hostAndPort ?? "?")\(Substring(path))"
    }

    /// The authority without user and password.
    package var hostAndPort: String? {
        guard let authority else { return nil }
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return authority }
        return String(authority[authority.utf8.index(after: at)...])
    }
}
