internal import Foundation
internal import ServiceClient

/// Where the picture of an event is, as hubs write it: a path in one of several forms, or an address.
enum ThumbnailPlace: Hashable {
    /// At the hub, whichever way it is reached: a path with its slash and its escapes.
    case atHub(String)
    /// At another server, which must not get a token.
    case elsewhere(ServiceAddress, path: String)

    /// The most bytes of a picture.
    static let pictureBytes = 2 << 20
    /// The most bytes of a place that is read.
    private static let longest = 2_048

    /// Reads a place.
    ///
    /// An address of HTTP is taken as it is; a path that begins with a slash or with `api/` counts from the root, one that begins with `thumbnails/`
    /// from `/api/v1/`, and any other from `/api/v1/thumbnails/`.
    ///
    /// - Parameters:
    ///   - text: As the hub has it.
    ///   - hub: Where the hub is known to be: an address there is a path, which goes the way that is open.
    /// - Returns: `nil` for what is too long, leaves its folder, or is an address of another scheme.
    init?(_ text: String, hub: [ServiceAddress]) {
        guard !text.isEmpty, text.utf8.count <= Self.longest,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        guard let colon = text.range(of: "://"), !text[..<colon.lowerBound].contains("/") else {
            // A second slash would begin an authority.
            guard !text.hasPrefix("//"), let path = Self.path(Self.fromRoot(text)) else { return nil }
            self = .atHub(path)
            return
        }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let end = rest.dropFirst(authority.count)
        guard let origin = ServiceAddress(text[..<colon.upperBound] + authority.lowercased()),
            let path = Self.path(end.first == "/" ? String(end) : "/\(end)")
        else { return nil }
        let known = hub.first { address in
            (address.scheme, address.authority.lowercased()) == (origin.scheme, origin.authority)
                && path.hasPrefix(address.root + "/")
        }
        self = known.map { .atHub(String(path.dropFirst($0.root.count))) } ?? .elsewhere(origin, path: path)
    }

    private static func fromRoot(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix("api/") { return "/\(text)" }
        return text.hasPrefix("thumbnails/") ? "/api/v1/\(text)" : "/api/v1/thumbnails/\(text)"
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
