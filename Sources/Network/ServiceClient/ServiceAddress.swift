/// Where a service is: what comes before the paths of its calls.
public struct ServiceAddress: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Host and, where it is not the scheme's own, port.
    public let authority: String
    /// The path that comes before that of each call: empty, or `/api/v1`.
    public let root: String

    /// Reads an address such as `https://example.org/api`; slashes and blanks at its ends do not count.
    ///
    /// - Returns: `nil` for anything but scheme, host, optional port and path: user names, queries and fragments have no place in it.
    public init?(_ text: String) {
        let text = text.trimmingBlanks
        guard let scheme = ["https", "http"].first(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            return nil
        }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }
        var root = rest.dropFirst(authority.count)
        while root.last == "/" { root.removeLast() }
        let isPlain = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.refused.contains($0) }
        guard isPlain, !authority.isEmpty, authority.first != ":" else { return nil }
        self.scheme = scheme
        self.authority = String(authority)
        self.root = String(root)
    }

    /// The address as it is written, without a slash at its end.
    public var description: String { "\(scheme)://\(authority)\(root)" }

    private static let refused = Set("@?#\\\"<>^`{|}".utf8)
}

extension String {
    /// Without blanks and line ends around it.
    fileprivate var trimmingBlanks: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
