package import HTTPTypes

extension HTTPRequest {
    /// Scheme, authority and path, for errors and logs.
    ///
    /// Without what may be a credential: the user and password of an authority, the query and the fragment.
    package var loggedURL: String {
        let path = (path ?? "").prefix { $0 != "?" && $0 != "#" }
        return "\(scheme ?? "?")://\(hostAndPort ?? "?")\(path)"
    }

    /// The authority without user and password.
    package var hostAndPort: String? {
        guard let authority else { return nil }
        guard let at = authority.lastIndex(of: "@") else { return authority }
        return String(authority[authority.index(after: at)...])
    }
}
