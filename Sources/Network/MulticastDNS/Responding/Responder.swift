package import Services
import Transport

/// Advertises one service on all links, as a value without sockets and clocks (RFC 6762 sections 6, 8 and 9).
package struct Responder: LinkAgent {
    /// How many of the last messages are remembered, to tell their echoes from what others say.
    private static let mostEchoes = 32

    private var records: ServiceRecords
    private var paths: [LinkPath: PathResponder] = [:]
    private var links: [Link] = []
    private var pace = ConflictPace()
    private var echoes: [[UInt8]] = []
    private var farewells: [OutgoingMessage] = []
    private var trouble: DiscoveryError?
    private var isWithdrawn = false
    private var reported: AdvertisementState?

    /// - Parameters:
    ///   - offer: What is advertised.
    ///   - host: The name of this host below `local`, a label.
    /// - Returns: `nil` for a name that is too long.
    package init?(_ offer: ServiceOffer, host: String) {
        guard let records = ServiceRecords(offer, host: NameChoice.host(host)) else { return nil }
        self.records = records
    }

    /// The instance's name and that of its host, as they are now.
    package var names: (instance: String, host: String) { (records.label, "\(records.host)") }

    // MARK: What happens

    package mutating func setLinks(_ links: [Link], at now: ContinuousClock.Instant) {
        guard !isWithdrawn else { return }
        self.links = links
        let wanted = Set(links.flatMap(\.paths))
        for path in paths.keys where !wanted.contains(path) { paths[path] = nil }
        for link in links {
            for path in link.paths {
                guard let known = paths[path], known.link.interface.index == link.interface.index else {
                    paths[path] = PathResponder(path, link, at: now)
                    continue
                }
                if known.link == link { continue }
                // The names stay; their addresses are new.
                paths[path]?.link = link
                paths[path]?.announce(at: now)
            }
        }
    }

    package mutating func restart(at now: ContinuousClock.Instant) {
        for path in paths.keys { paths[path]?.probe(at: now) }
    }

    package mutating func setTrouble(_ trouble: DiscoveryError?) { self.trouble = trouble }

    /// Replaces what the service says of itself.
    package mutating func setAttributes(_ attributes: ServiceAttributes, at now: ContinuousClock.Instant) {
        guard attributes != records.attributes else { return }
        records.attributes = attributes
        for path in paths.keys { paths[path]?.announce(at: now) }
    }

    /// Takes everything back.
    package mutating func withdraw() {
        isWithdrawn = true
        for path in paths.keys.sorted() {
            paths[path]?.sayFarewell(records)
            farewells += paths[path]?.takePackets() ?? []
        }
        paths = [:]
    }

    package mutating func tick(at now: ContinuousClock.Instant) {
        for path in paths.keys { paths[path]?.tick(records, at: now) }
    }

    package var nextTick: ContinuousClock.Instant? { paths.values.compactMap(\.nextTick).min() }

    package mutating func takePackets() -> [OutgoingMessage] {
        var packets = farewells
        farewells = []
        for path in paths.keys.sorted() { packets += paths[path]?.takePackets() ?? [] }
        echoes = (echoes + packets.map(\.bytes)).suffix(Self.mostEchoes)
        return packets
    }

    package mutating func takeReport() -> AdvertisementState? {
        let state: AdvertisementState =
            if isWithdrawn {
                .withdrawn
            } else if paths.values.contains(where: \.isPublished) {
                .published(name: records.label)
            } else {
                .pending(trouble)
            }
        guard state != reported else { return nil }
        reported = state
        return state
    }

    package mutating func receive(_ received: ReceivedMessage, at now: ContinuousClock.Instant) {
        guard paths[received.path] != nil, !isEcho(received) else { return }
        if received.message.isResponse {
            // Who answers from another port does not speak multicast DNS (RFC 6762 section 6).
            guard received.source.port == MulticastGroup.port else { return }
            takeResponse(received, at: now)
        } else {
            takeQuery(received, at: now)
        }
    }

    /// Whether it is what was sent here, which comes back from the group, also by another interface of this host.
    private func isEcho(_ received: ReceivedMessage) -> Bool {
        guard echoes.contains(received.bytes) else { return false }
        return links.contains { link in
            link.interface.addresses.contains {
                $0.address.inZone(nil) == received.source.address.inZone(nil)
            }
        }
    }

    // MARK: Queries

    private mutating func takeQuery(_ received: ReceivedMessage, at now: ContinuousClock.Instant) {
        let path = received.path
        if case .probing = paths[path]?.stage, let link = paths[path]?.link {
            for name in records.uniqueNames {
                let other = received.message.authorities.filter { $0.name == name }
                guard !other.isEmpty else { continue }
                let own = records.unique(on: link).filter { $0.name == name }
                if ProbeContest.outcome(own: own, other: other) == .lost { paths[path]?.giveWay(at: now) }
            }
        }
        paths[path]?.answer(received, records, at: now)
    }

    // MARK: Responses

    private mutating func takeResponse(_ received: ReceivedMessage, at now: ContinuousClock.Instant) {
        let own = links.flatMap { records.all(on: $0) }
        for record in received.message.statements {
            let same = own.first { $0.name == record.name && $0.data == record.data }
            if let same {
                if record.timeToLive < same.timeToLive / 2 { paths[received.path]?.rescue(same, at: now) }
            } else if isConflict(record) {
                return settle(record.name, on: received.path, at: now)
            }
        }
    }

    /// Whether a record, which is none of ours, says something else of a name of ours.
    private func isConflict(_ record: ResourceRecord) -> Bool {
        guard record.timeToLive > 0 else { return false }
        switch record.data {
        case .service, .text: return record.name == records.instance
        case .address: return record.name == records.host
        default: return false
        }
    }

    /// Takes another name where the name is still being claimed; claims it again where it was ours.
    private mutating func settle(_ name: DomainName, on path: LinkPath, at now: ContinuousClock.Instant) {
        guard case .probing = paths[path]?.stage else {
            paths[path]?.probe(at: now)
            return
        }
        if name == records.instance,
            let next = records.names.instance(NameChoice.next(afterInstance: records.label))
        {
            records.rename(instance: next)
        } else if let label = name.labels.first,
            let next = DomainName.local(NameChoice.next(afterHost: String(decoding: label, as: UTF8.self)))
        {
            records.rename(host: next)
        }
        let pause = pace.note(at: now)
        for path in paths.keys { paths[path]?.probe(at: now, after: pause) }
    }
}
