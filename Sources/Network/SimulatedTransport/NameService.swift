import Simulation

/// How the hosts of a network find each other's names.
public struct NameServiceConditions: Sendable, Hashable {
    /// The probability, 0…1, that a name is not found for now, as when a resolver does not answer.
    public var failure = 0.0
    /// How long a look-up takes before a connection is opened.
    public var latency = LatencyDistribution.constant(.zero)
    /// Names that do not exist, as when a record was deleted by mistake; in lower case.
    public var missing: Set<String> = []

    /// A name service that knows every host at once.
    public init() {}
}

/// What a look-up gave.
enum LookUp {
    case found(after: Int64)
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
    mutating func lookUp(_ name: String) -> LookUp {
        let delay = conditions.latency.sample(&entropy)
        if failures.fires(probability: conditions.failure) != nil {
            return .failed("temporary failure in name resolution of \(name)", after: delay)
        }
        if conditions.missing.contains(name.lowercased()) {
            return .failed("no host is called \(name)", after: delay)
        }
        return .found(after: delay)
    }
}
