package import Transport

/// Where multicast DNS is spoken (RFC 6762 section 3).
package enum MulticastGroup {
    /// The port of all that speak it.
    package static let port = 5353
    /// The group over IPv4.
    package static let v4 = IPAddress(224, 0, 0, 251)
    /// The group over IPv6, of one link: ff02::fb.
    package static let v6 = IPAddress(version: .v6, bits: 0xFF02 << 112 | 0xFB)

    /// Where everybody on a link hears what is sent.
    package static func endpoint(_ version: IPAddress.Version) -> Endpoint {
        Endpoint(version == .v4 ? v4 : v6, port: port)
    }
}

/// An interface on which multicast DNS is spoken.
package struct Link: Sendable, Hashable {
    /// The interface with its addresses.
    package var interface: NetworkInterface
    /// The versions over which it is spoken, in order.
    package var versions: [IPAddress.Version]

    package init(_ interface: NetworkInterface, versions: [IPAddress.Version]) {
        (self.interface, self.versions) = (interface, versions)
    }

    package var name: String { interface.name }

    /// One path for each version.
    package var paths: [LinkPath] { versions.map { LinkPath(interface: name, version: $0) } }
}

/// One version of the protocol on one interface: what has a socket of its own.
package struct LinkPath: Sendable, Hashable, Comparable {
    package var interface: String
    package var version: IPAddress.Version

    package init(interface: String, version: IPAddress.Version) {
        (self.interface, self.version) = (interface, version)
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.interface, one.version) < (other.interface, other.version)
    }
}

/// A message that has come from this link.
package struct ReceivedMessage: Sendable {
    package var message: DNSMessage
    package var bytes: [UInt8]
    package var path: LinkPath
    /// Who sent it, on the same link.
    package var source: Endpoint

    package init(_ message: DNSMessage, _ bytes: [UInt8], on path: LinkPath, from source: Endpoint) {
        (self.message, self.bytes, self.path, self.source) = (message, bytes, path, source)
    }
}

/// Bytes to send on a path.
package struct OutgoingMessage: Sendable, Hashable {
    package var bytes: [UInt8]
    package var path: LinkPath
    /// Where they go: to the group, or to one host.
    package var destination: Endpoint

    /// A message for all on a link, or for one host.
    package init(_ message: DNSMessage, on path: LinkPath, to destination: Endpoint? = nil) {
        bytes = message.encoded
        self.path = path
        self.destination = destination ?? MulticastGroup.endpoint(path.version)
    }
}
