package import Services

/// The names that services of one type have in multicast DNS.
package struct ServiceNames: Sendable, Hashable {
    /// The type, such as `_http._tcp.local`: who offers it answers with pointers to instances.
    package let type: DomainName
    /// The name whose pointers say which types there are (RFC 6763 section 9).
    package static let types = DomainName.local("_services", "_dns-sd", "_udp")

    /// The names of a type.
    package init(_ type: ServiceType) {
        guard let name = DomainName.local("_\(type.name)", "_\(type.carrier.rawValue)") else {
            preconditionFailure("a type has at most 15 characters")
        }
        self.type = name
    }

    /// The name of an instance; `nil` where the label is too long or empty.
    package func instance(_ label: String) -> DomainName? { type.prefixed(by: Array(label.utf8)) }

    /// What people call an instance; `nil` for a name of another type, and for one that is no text or has control characters.
    package func label(of instance: DomainName) -> String? {
        guard instance.parent == type, let first = instance.labels.first,
            !first.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        return String(validating: first, as: UTF8.self)
    }
}
