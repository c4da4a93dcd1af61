internal import ServiceClient

/// Where a picture is, of which the app knows no more than that Nova has said so.
///
/// Nova names the storage of its pictures nowhere else, so it may be on any host of the network; but the page asks for pictures in the browser's place, and
/// nobody may use that to reach what only this machine or its network can: such an address is taken only where Nova itself is at one. Names are not
/// resolved: a name of the network that leads here is not noticed.
struct PictureAddress {
    /// Scheme, host and port.
    let origin: ServiceAddress
    /// The path with its query, as it is.
    let path: String

    /// Reads the address of a picture.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - nova: Where Nova is.
    /// - Returns: `nil` for what is not `http` or `https`, for `http` where Nova is at `https`, and for a host that only this machine or its network can
    ///   reach where Nova is at none.
    init?(_ text: String, beside nova: ServiceAddress?) {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let slash = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let nova, let origin = ServiceAddress(String(text[..<slash])),
            slash == text.endIndex || text[slash] == "/",
            origin.scheme == "https" || nova.scheme == "http",
            !Self.isLocal(origin) || Self.isLocal(nova)
        else { return nil }
        (self.origin, path) = (origin, String(text[slash...]))
    }

    /// Whether a host is this machine, or an address that networks of one house or one link have (RFC 1122, RFC 1918, RFC 3927, RFC 4193, RFC 4291).
    ///
    /// An IPv6 address counts as one, and so does a number that is written in another way than with four parts.
    private static func isLocal(_ address: ServiceAddress) -> Bool {
        let authority = address.authority.lowercased()
        guard !authority.hasPrefix("[") else { return true }
        var host = authority.prefix { $0 != ":" }
        while host.last == "." { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") { return true }
        // A last part that is a number makes the whole an IPv4 address (WHATWG URL, section 3.5).
        guard let last = host.split(separator: ".").last, last.allSatisfy(\.isNumber) || last.hasPrefix("0x")
        else { return false }
        let parts = host.split(separator: ".").map { UInt8($0) }
        guard parts.count == 4, let first = parts[0], let second = parts[1] else { return true }
        switch first {
        case 0, 10, 127: return true
        case 100: return (64...127).contains(second)
        case 169: return second == 254
        case 172: return (16...31).contains(second)
        case 192: return second == 168
        default: return first >= 224
        }
    }
}
