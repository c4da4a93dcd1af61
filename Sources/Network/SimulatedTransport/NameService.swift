import Simulation
public import Transport

/// How the hosts of a network find each other's names.
public struct NameServiceConditions: Sendable, Hashable {
    /// The probability, 0…1, that a name is not found for now, as when a resolver does not answer.
    public var failure = 0.0
    /// How long a look-up takes before a connection is opened.
    public var latency = LatencyDistribution.constant(.zero)
    /// Names that do not exist, as when a record was deleted by mistake; in lower case.
    public var missing: Set<String> = []
    /// Addresses to which names lead instead of those that their hosts have; names in lower case.
    ///
    /// For names of no host, for a name that moves from one host to another, and for a record that still has an
    /// address from before a change.
    public var records: [String: [IPAddress]] = [:]

    /// A name service that knows every host at once.
    public init() {}
}

/// What a look-up gave.
enum LookUp {
    case found([IPAddress], after: Int64)
    case failed(String, after: Int64)
}

/// The name service of one network.
struct NameService {
    var conditions = NameServiceConditions()
    private let failures: FaultSource
    private var entropy: EntropyStream

    init(_ simulation: Simulation) {
        failures = simulation.faultSource("names")
        entropy = simulation.entropy("network/names")
    }

    /// Decides what becomes of one look-up; a host's own names need none.
    mutating func lookUp(_ name: String, of host: SimulatedHost?) -> LookUp {
        let delay = conditions.latency.sample(&entropy)
        if failures.fires(probability: conditions.failure) != nil {
            return .failed("temporary failure in name resolution of \(name)", after: delay)
        }
        if conditions.missing.contains(name.lowercased()) {
            return .failed("no host is called \(name)", after: delay)
        }
        if let record = conditions.records[name.lowercased()] {
            if record.isEmpty { return .failed("\(name) has no address", after: delay) }
            return .found(record, after: delay)
        }
        guard let host else { return .failed("no host is called \(name)", after: delay) }
        // A host that is off line keeps its records.
        return .found(host.attached.flatMap(\.addresses), after: delay)
    }
}
