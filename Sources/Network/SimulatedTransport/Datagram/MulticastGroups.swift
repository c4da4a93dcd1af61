import Transport

/// Who has joined which group; groups are addresses of IPv4 224.0.0.0/4 or IPv6 ff00::/8.
final class MulticastGroups: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private var members: [String: [SimulatedDatagramSocket]] = [:]

    static func isGroup(_ address: String) -> Bool {
        if address.contains(":") { return address.lowercased().hasPrefix("ff") }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, !parts.contains(nil), let first = parts[0] else { return false }
        return (224...239).contains(first)
    }

    func join(_ socket: SimulatedDatagramSocket, group: String) {
        let group = group.lowercased()
        if members[group]?.contains(where: { $0 === socket }) != true {
            members[group, default: []].append(socket)
        }
    }

    func leave(_ socket: SimulatedDatagramSocket, groups: Set<String>) {
        for group in groups {
            members[group.lowercased()]?.removeAll { $0 === socket }
            if members[group.lowercased()]?.isEmpty == true { members[group.lowercased()] = nil }
        }
    }

    /// The members that are bound to a port, in the order in which they joined.
    func members(of group: String, port: Int) -> [SimulatedDatagramSocket] {
        (members[group.lowercased()] ?? []).filter { $0.localAddress.port == port }
    }
}
