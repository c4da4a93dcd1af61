package import Transport

/// Decides which datagrams of a socket are messages of a link (RFC 6762 section 11).
package struct LinkFilter: Sendable {
    private let links: [String: Link]

    package init(_ links: [Link]) {
        self.links = Dictionary(links.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Reads a datagram.
    ///
    /// What is sent to the group is taken from the socket of the interface and version on which it came, since other sockets get it too; what is
    /// sent to this host alone may come to any of them, and is taken from senders in the interface's own networks.
    ///
    /// - Returns: `nil` for what comes from elsewhere, and for what is no message.
    package func message(in datagram: Datagram, at socket: LinkPath) -> ReceivedMessage? {
        guard let name = datagram.interface, let link = links[name] else { return nil }
        let path = LinkPath(interface: name, version: datagram.source.address.version)
        guard link.versions.contains(path.version) else { return nil }
        if let destination = datagram.destination, destination.isMulticast {
            guard destination == MulticastGroup.endpoint(path.version).address, socket == path else {
                return nil
            }
        } else {
            let isNear = link.interface.addresses.contains { $0.subnet.contains(datagram.source.address) }
            guard isNear || (path.version == .v6 && datagram.source.address.isLinkLocal) else { return nil }
        }
        guard let message = DNSMessage(datagram.bytes) else { return nil }
        return ReceivedMessage(message, datagram.bytes, on: path, from: datagram.source)
    }
}
