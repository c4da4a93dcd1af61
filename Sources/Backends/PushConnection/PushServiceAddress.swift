/// Where devices connect to a push service.
public struct PushServiceAddress: Sendable, Hashable, CustomStringConvertible {
    /// `ws` or `wss`.
    public let scheme: String
    /// A host, and perhaps a port.
    public let authority: String
    /// With its leading slash.
    public let path: String

    /// Reads `ws://host:port/path` or `wss://…`; `nil` for anything else.
    ///
    /// Without a path it is `/device`.
    public init?(_ text: String) {
        guard text.utf8.count <= 2048, let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        let rest = text[end.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard scheme == "ws" || scheme == "wss", !authority.isEmpty,
            !authority.contains(where: { $0.isWhitespace || "@?#".contains($0) })
        else { return nil }
        let path = String(rest.dropFirst(authority.count))
        (self.scheme, self.authority) = (scheme, String(authority))
        self.path = path.isEmpty || path == "/" ? "/device" : path
    }

    /// The address as it was read.
    public var description: String { "\(scheme)://\(authority)\(path)" }
}
