public import ServiceClient
internal import Services

/// A way to a hub on the local network.
public struct HubWay: Sendable, Hashable {
    /// Where it is.
    public var address: ServiceAddress
    /// Host and port, as requests name them.
    public var authority: String
    /// What the hub calls itself, the same wherever it moves; `nil` where it does not say.
    public var hubID: String?
    /// As it was found.
    var service: DiscoveredService

    /// Whether a hub may be called at an address of the local network: a private, link-local or loopback one, as digits.
    public static func isAtHome(_ address: String) -> Bool { HubChoice.isPrivate(address) }
}

/// An address at which a hub did not answer.
struct FailedWay: Sendable, Hashable {
    /// What was known of the hub's end then.
    var expires: ContinuousClock.Instant
    /// Until when it is passed over, whatever is heard.
    var end: ContinuousClock.Instant
}

/// Which of the hubs that were found is used, and by which of its addresses.
///
/// Anybody on the network can answer for a hub: a hint, and no proof. A token goes only to a private address, and, once the hub of this
/// device is known by its ID, only to that hub.
enum HubChoice {
    /// The kind of service that a hub offers.
    static let type = "_argusai._tcp"
    /// What a hub calls itself, among its attributes.
    static let idAttribute = "id"
    /// The most characters of a hub's ID.
    static let longestID = 128

    /// The way to use; `nil` where none of the hubs will do.
    ///
    /// - Parameters:
    ///   - services: Hubs in the order in which they were resolved first.
    ///   - paired: The hub of this device; `nil` for any hub.
    ///   - failed: The addresses that have failed.
    ///   - now: An address that has failed is used again when more was heard of its hub since, and not before its time.
    static func way(
        among services: [DiscoveredService],
        paired: PairedHub?,
        failed: [String: FailedWay],
        at now: ContinuousClock.Instant
    ) -> HubWay? {
        for service in services {
            let id = service.attributes[idAttribute].flatMap { $0.utf8.count <= longestID ? $0 : nil }
            if let paired, !paired.admits(id) { continue }
            for way in service.ways where isPrivate(way.address) {
                guard let authority = way.authority, (1...65_535).contains(way.port),
                    failed[authority].map({ service.expires > $0.expires && now >= $0.end }) ?? true,
                    let address = ServiceAddress("http://\(authority)")
                else { continue }
                return HubWay(address: address, authority: authority, hubID: id, service: service)
            }
        }
        return nil
    }

    /// Whether an address is one of a home: private, link-local or loopback ones of IPv4 (RFC 1918, 3927, 1122) and unique local, link-local and
    /// loopback ones of IPv6 (RFC 4193, 4291).
    static func isPrivate(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4 {
            let bytes = parts.compactMap { UInt8($0) }
            guard bytes.count == 4 else { return false }
            return switch (bytes[0], bytes[1]) {
            case (10, _), (127, _), (192, 168), (169, 254), (172, 16...31): true
            default: false
            }
        }
        let text = address.lowercased()
        if text == "::1" { return true }
        guard text.contains(":"), let first = UInt16(text.prefix { $0 != ":" }, radix: 16) else {
            return false
        }
        return first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80
    }
}
