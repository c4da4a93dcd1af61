package import Services
import Transport

/// Browses for the services of one type on all links, as a value without sockets and clocks (RFC 6762 section 5, RFC 6763).
///
/// What it keeps is bounded on each link, whatever is sent there: at most 256 instances, and half a megabyte.
package struct Querier: LinkAgent {
    /// Smaller changes of the time at which a service expires are not reported.
    private static let expirySlack = Duration.seconds(1)

    private let type: ServiceType
    private let names: ServiceNames
    private let limits: RecordCache.Limits
    /// By the names of their interfaces.
    private var browses: [String: InterfaceBrowse] = [:]
    private var packets: [OutgoingMessage] = []
    private var trouble: DiscoveryError?
    private var reported = ServiceListing()
    private var isChanged = false

    package init(_ type: ServiceType, limits: RecordCache.Limits = RecordCache.Limits()) {
        self.type = type
        self.limits = limits
        names = ServiceNames(type)
    }

    /// How many bytes are kept, roughly.
    package var byteCount: Int { browses.values.reduce(0) { $0 + $1.cache.byteCount } }

    // MARK: What happens

    package mutating func setLinks(_ links: [Link], at now: ContinuousClock.Instant) {
        let names = Set(links.map(\.name))
        for name in browses.keys where !names.contains(name) {
            browses[name] = nil
            isChanged = true
        }
        for link in links {
            // An interface that has come back with another number is another one.
            if let known = browses[link.name], known.link.interface.index == link.interface.index {
                browses[link.name]?.setLink(link, at: now)
            } else {
                browses[link.name] = InterfaceBrowse(link, self.names, limits, at: now)
                isChanged = true
            }
        }
    }

    package mutating func restart(at now: ContinuousClock.Instant) {
        for name in browses.keys { browses[name]?.restart(at: now) }
    }

    package mutating func setTrouble(_ trouble: DiscoveryError?) {
        guard trouble != self.trouble else { return }
        self.trouble = trouble
        isChanged = true
    }

    /// Takes responses, and those of who speaks multicast DNS alone (RFC 6762 section 6).
    package mutating func receive(_ received: ReceivedMessage, at now: ContinuousClock.Instant) {
        guard received.message.isResponse, received.source.port == MulticastGroup.port else { return }
        if browses[received.path.interface]?.receive(received.message, at: now) == true { isChanged = true }
    }

    /// Asks on all links whether a service is still there.
    package mutating func reconfirm(_ name: String, at now: ContinuousClock.Instant) {
        guard let instance = names.instance(name) else { return }
        for interface in browses.keys { browses[interface]?.doubt(instance, at: now) }
        isChanged = true
    }

    package mutating func tick(at now: ContinuousClock.Instant) {
        for name in browses.keys.sorted() {
            guard let result = browses[name]?.tick(at: now), let link = browses[name]?.link else { continue }
            if result.isChanged { isChanged = true }
            for path in link.paths {
                packets += result.messages.map { OutgoingMessage($0, on: path) }
            }
        }
    }

    package var nextTick: ContinuousClock.Instant? { browses.values.map(\.nextTick).min() }

    package mutating func takePackets() -> [OutgoingMessage] {
        defer { packets = [] }
        return packets
    }

    package mutating func takeReport() -> ServiceListing? {
        guard isChanged else { return nil }
        isChanged = false
        let listing = ServiceListing(services: services, trouble: trouble)
        guard differs(listing, from: reported) else { return nil }
        reported = listing
        return listing
    }

    private func differs(_ one: ServiceListing, from other: ServiceListing) -> Bool {
        guard one.trouble == other.trouble, one.services.count == other.services.count else { return true }
        return zip(one.services, other.services).contains { one, other in
            var aged = one
            aged.expires = other.expires
            let change = one.expires - other.expires
            return aged != other || change >= Self.expirySlack || change <= .zero - Self.expirySlack
        }
    }

    // MARK: What is known

    /// All services that can be reached; one on several links is one service, if it says the same there.
    package var services: [DiscoveredService] {
        var found: [DiscoveredService] = []
        for name in browses.keys.sorted() {
            guard let browse = browses[name] else { continue }
            for service in browse.services(of: type, names) {
                let same = found.firstIndex {
                    $0.name == service.name && $0.host.lowercased() == service.host.lowercased()
                        && $0.attributes == service.attributes
                }
                if let same {
                    found[same].ways += service.ways
                    found[same].expires = min(found[same].expires, service.expires)
                } else {
                    found.append(service)
                }
            }
        }
        return found.sorted {
            ($0.name, $0.host, $0.ways.first?.interface ?? "") < (
                $1.name, $1.host, $1.ways.first?.interface ?? ""
            )
        }
    }
}

extension InterfaceBrowse {
    /// The services on this interface of which everything is known.
    fileprivate func services(of type: ServiceType, _ names: ServiceNames) -> [DiscoveredService] {
        cache.entries(RecordKey(names.type, .pointer)).compactMap { entry in
            guard case .pointer(let instance) = entry.record.data, let name = names.label(of: instance),
                let service = preferredService(of: instance),
                case .service(_, _, let port, let target) = service.record.data, port > 0,
                let text = preferred(cache.entries(RecordKey(instance, .text))),
                case .text(let bytes) = text.record.data
            else { return nil }
            let addresses = addresses(of: target).sorted(by: isBetter)
            guard let last = addresses.map(\.expires).max() else { return nil }
            return DiscoveredService(
                name: name,
                type: type,
                host: "\(target)",
                attributes: ServiceAttributes(text: bytes),
                ways: addresses.compactMap { way($0, port: Int(port)) },
                expires: min(entry.expires, service.expires, text.expires, last)
            )
        }
    }

    private func way(_ entry: RecordCache.Entry, port: Int) -> ServiceWay? {
        guard case .address(let address) = entry.record.data else { return nil }
        let needsZone = address.version == .v6 && address.isLinkLocal
        let zoned = needsZone ? address.inZone(link.name) : address
        return ServiceWay(interface: link.name, address: "\(zoned)", port: port)
    }

    /// The one with the lowest priority, of several the newest (RFC 2782).
    private func preferredService(of instance: DomainName) -> RecordCache.Entry? {
        let entries = cache.entries(RecordKey(instance, .service))
        let rest = entries.contains { !$0.isLeaving } ? entries.filter { !$0.isLeaving } : entries
        return rest.min { one, other in
            guard case .service(let first, _, _, _) = one.record.data,
                case .service(let second, _, _, _) = other.record.data
            else { return false }
            return first == second ? one.received > other.received : first < second
        }
    }

    /// The newest one that is not about to end.
    private func preferred(_ entries: [RecordCache.Entry]) -> RecordCache.Entry? {
        entries.max { ($0.isLeaving ? 0 : 1, $0.received) < ($1.isLeaving ? 0 : 1, $1.received) }
    }

    /// Addresses that stay before those that are being replaced, then those that every program can use, then IPv4 before IPv6.
    private func isBetter(_ one: RecordCache.Entry, _ other: RecordCache.Entry) -> Bool {
        func rank(_ entry: RecordCache.Entry) -> (Int, Int) {
            guard case .address(let address) = entry.record.data else { return (2, 1) }
            return (entry.isLeaving ? 1 : 0, address.isLinkLocal ? 1 : 0)
        }
        guard rank(one) == rank(other), case .address(let first) = one.record.data,
            case .address(let second) = other.record.data
        else { return rank(one) < rank(other) }
        return first < second
    }
}
