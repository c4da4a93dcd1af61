import Services
import Transport

/// All records that one advertised service has, under the names that it has now.
struct ServiceRecords: Sendable {
    /// Of records with the name of a host in them (RFC 6762 section 10).
    static let hostSeconds: UInt32 = 120
    /// Of all others.
    static let otherSeconds: UInt32 = 4_500

    let names: ServiceNames
    private(set) var instance: DomainName
    private(set) var host: DomainName
    let port: UInt16
    var attributes: ServiceAttributes

    /// Makes the records of an offer; `nil` for a name that is too long.
    init?(_ offer: ServiceOffer, host label: String) {
        names = ServiceNames(offer.type)
        guard let instance = names.instance(offer.name), let host = DomainName.local(label) else {
            return nil
        }
        (self.instance, self.host) = (instance, host)
        port = UInt16(clamping: offer.port)
        attributes = offer.attributes
    }

    /// What people call the instance.
    var label: String { names.label(of: instance) ?? "" }

    /// The names that nobody else may have on a link.
    var uniqueNames: [DomainName] { [instance, host] }

    mutating func rename(instance new: DomainName) { instance = new }
    mutating func rename(host new: DomainName) { host = new }

    // MARK: Records

    var pointer: ResourceRecord {
        ResourceRecord(names.type, .pointer(instance), timeToLive: Self.otherSeconds)
    }

    /// Says that there are services of this type at all (RFC 6763 section 9).
    private var enumeration: ResourceRecord? {
        ServiceNames.types.map { ResourceRecord($0, .pointer(names.type), timeToLive: Self.otherSeconds) }
    }

    private var service: ResourceRecord {
        let data = RecordData.service(priority: 0, weight: 0, port: port, target: host)
        return ResourceRecord(instance, data, timeToLive: Self.hostSeconds, flushes: true)
    }

    private var text: ResourceRecord {
        ResourceRecord(instance, .text(attributes.text), timeToLive: Self.otherSeconds, flushes: true)
    }

    func addresses(on link: Link) -> [ResourceRecord] {
        link.interface.addresses.map { address in
            let data = RecordData.address(address.address.inZone(nil))
            return ResourceRecord(host, data, timeToLive: Self.hostSeconds, flushes: true)
        }
    }

    /// The records of the unique names: what is proposed in probes, and defended.
    func unique(on link: Link) -> [ResourceRecord] { [service, text] + addresses(on: link) }

    /// What is announced.
    func all(on link: Link) -> [ResourceRecord] {
        [pointer] + unique(on: link) + (enumeration.map { [$0] } ?? [])
    }

    /// Which types a unique name has: all others are denied (RFC 6762 section 6.1).
    private func denial(of name: DomainName, on link: Link) -> ResourceRecord {
        let types = Set(
            unique(on: link).filter { $0.name == name }.map { UInt8(clamping: $0.data.type.rawValue) }
        )
        return ResourceRecord(
            name,
            .next(name, types: types.sorted()),
            timeToLive: Self.hostSeconds,
            flushes: true
        )
    }

    // MARK: Answers

    /// What answers a question.
    func answers(to key: RecordKey, on link: Link) -> [ResourceRecord] {
        let found = all(on: link).filter { record in
            record.name == key.name && (key.type == .any || key.type == record.data.type)
        }
        guard found.isEmpty, uniqueNames.contains(key.name) else { return found }
        return [denial(of: key.name, on: link)]
    }

    /// What one who asks will ask next (RFC 6763 section 12).
    func additionals(to answers: [ResourceRecord], on link: Link) -> [ResourceRecord] {
        var more: [ResourceRecord] = []
        for answer in answers {
            switch answer.data {
            case .pointer(instance): more += [service, text] + addresses(on: link)
            case .service: more += addresses(on: link)
            default: break
            }
        }
        var seen = Set(answers)
        return more.filter { seen.insert($0).inserted }
    }
}
