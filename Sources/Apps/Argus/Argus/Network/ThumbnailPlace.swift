internal import Foundation
internal import ServiceClient

/// Where the picture of an event is, as a public hub writes it: a path in one of several forms, or an address.
enum ThumbnailPlace: Hashable {
    /// At the hub, by its path from the root.
    case atHub(String)
    /// At another origin, which gets no token.
    case elsewhere(ServiceAddress, path: String)

    /// The most bytes of a place that is read.
    static let longest = 2_048

    /// Reads a place.
    ///
    /// An address of HTTP is taken as it is; a path that begins with a slash or with `api/` counts from the root, one that begins with `thumbnails/`
    /// from `/api/v1/`, and any other from `/api/v1/thumbnails/`.
    ///
    /// - Parameters:
    ///   - text: As the hub has it.
    ///   - hub: Where the hub is reached now: an address of this origin is the hub's.
    /// - Returns: `nil` for what is too long, leaves its folder, or is an address of another scheme.
    init?(_ text: String, hub: ServiceAddress?) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else { return nil }
        if let colon = text.range(of: "://"), !text[..<colon.lowerBound].contains("/") {
            let rest = text[colon.upperBound...]
            let authority = rest.prefix { !"/?#".contains($0) }
            guard let address = ServiceAddress("\(text[..<colon.upperBound])\(authority)") else { return nil }
            let end = rest.dropFirst(authority.count)
            guard let path = Self.path(end.first == "/" ? String(end) : "/\(end)") else { return nil }
            let isOwn = address.scheme == hub?.scheme && address.authority == hub?.authority
            self = isOwn ? .atHub(path) : .elsewhere(address, path: path)
            return
        }
        // A second slash would begin an authority.
        guard !text.hasPrefix("//") else { return nil }
        let place =
            switch text {
            case _ where text.hasPrefix("/"): text
            case _ where text.hasPrefix("api/"): "/\(text)"
            case _ where text.hasPrefix("thumbnails/"): "/api/v1/\(text)"
            default: "/api/v1/thumbnails/\(text)"
            }
        guard let path = Self.path(place) else { return nil }
        self = .atHub(path)
    }

    /// A path that a request can carry, without its fragment; `nil` for one that goes up.
    private static func path(_ text: String) -> String? {
        let whole = text.prefix { $0 != "#" }
        let segments = whole.prefix { $0 != "?" }.split(separator: "/")
        let decoded = segments.map { $0.removingPercentEncoding ?? "" }
        guard decoded.allSatisfy({ $0 != "." && $0 != ".." && !$0.contains("/") }) else { return nil }
        return String(whole).addingPercentEncoding(withAllowedCharacters: carried)
    }

    /// What is sent as it stands: what may stand in a path or a query, and escapes that are there.
    private static let carried = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?%"
    )
}
