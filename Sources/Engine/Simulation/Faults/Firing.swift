/// One fault that happened: the name of what decides it, and which of its decisions it was.
///
/// A run's firings, given back as ``FaultPolicy/only(_:)``, make the same faults happen again, or fewer of them.
public struct Firing: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The name of the ``FaultSource``, such as `loss phone gemini`.
    public var source: String
    /// The number of the decision, from 0; decisions that went well count too.
    public var decision: Int

    /// Makes a firing.
    public init(source: String, decision: Int) {
        self.source = source
        self.decision = decision
    }

    /// By name, then number.
    public static func < (one: Self, other: Self) -> Bool {
        (one.source, one.decision) < (other.source, other.decision)
    }

    /// The name and the number.
    public var description: String { "\(source) #\(decision)" }
}

/// Which faults happen in a run.
public enum FaultPolicy: Sendable, Hashable {
    /// Those that chance decides, with the probabilities that the world asks for.
    case drawn
    /// Exactly these, whatever the probabilities.
    case only(Set<Firing>)

    /// No fault at all.
    public static let none = FaultPolicy.only([])
}
