internal import ServiceClient

/// Where the picture of an event is, as the hub writes it.
///
/// Hubs write whole addresses, paths from their root, and paths below their folder of pictures: `/api/v1/thumbnails/2026-01-05/event_7.jpg`,
/// `2026-01-05/event_7.jpg`.
enum ThumbnailPlace: Hashable, Sendable {
    /// At the hub, whichever way it is reached: a path with its slash and its escapes.
    case hub(path: String)
    /// At another server, which must not get a token.
    case elsewhere(ServiceAddress, path: String)

    /// The most bytes of a picture.
    static let longest = 2 << 20
    /// The most bytes of an address.
    private static let longestText = 2_000

    /// Reads what a hub has written.
    ///
    /// - Parameters:
    ///   - text: An address or a path.
    ///   - hub: Where the hub is known to be: an address there is a path, which goes the way that is open.
    /// - Returns: `nil` for what is neither, and for another server that is not asked by `https`.
    init?(_ text: String, hub: [ServiceAddress]) {
        guard !text.isEmpty, text.utf8.count <= Self.longestText,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 })
        else { return nil }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            guard !text.hasPrefix("//"), !text.contains("://") else { return nil }
            self = .hub(path: Self.path(text))
            return
        }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        let rest = text.dropFirst(scheme.count + authority.count)
        guard let origin = ServiceAddress(scheme + authority.lowercased()) else { return nil }
        let path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        let known = hub.first { address in
            (address.scheme, address.authority.lowercased()) == (origin.scheme, origin.authority)
                && path.hasPrefix(address.root + "/")
        }
        if let known {
            self = .hub(path: String(path.dropFirst(known.root.count)))
        } else {
            guard origin.scheme == "https" else { return nil }
            self = .elsewhere(origin, path: path)
        }
    }

    /// What is written without a server, from the hub's root.
    private static func path(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix("api/") { return "/\(text)" }
        return text.hasPrefix("thumbnails/") ? "/api/v1/\(text)" : "/api/v1/thumbnails/\(text)"
    }

    /// The call for a picture.
    static func call(_ path: String) -> Call {
        var call = Call.get(path)
        call.set("Accept", "image/jpeg")
        call.repeats = .unlessRefused
        return call
    }
}
