/// What a run found out about one check in the code.
public struct CheckRecord: Sendable, Hashable, Codable {
    /// What kind of property a check states.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Holds each time.
        case always
        /// Holds at no time.
        case never
        /// Holds at least once in a sweep.
        case sometimes
        /// Holds once faults have ended.
        case eventually
        /// A place in product code at which a fault may happen.
        case faultPoint
        /// A place from which several futures are worth a look.
        case branchPoint
    }

    /// What kind of property it states.
    public var kind: Kind
    /// The property as a sentence, or the point's name.
    public var name: String
    /// The file, as `#fileID` gives it.
    public var file: String
    /// The line.
    public var line: Int
    /// How often it was asked.
    public var evaluations = 0
    /// How often it held; for points, how often they fired.
    public var hits = 0 { didSet { hitRuns = max(hitRuns, min(hits, 1)) } }
    /// In how many runs it held, or fired, at all.
    public var hitRuns = 0

    /// Counts one evaluation, and says whether it is the first that held.
    @discardableResult
    mutating func count(_ held: Bool) -> Bool {
        evaluations += 1
        guard held else { return false }
        hits += 1
        return hits == 1
    }

    /// Adds what other runs found out about the same check.
    package mutating func add(_ others: CheckRecord) {
        evaluations += others.evaluations
        let runs = hitRuns + others.hitRuns
        hits += others.hits
        hitRuns = runs
    }
}

/// A property that was violated.
public struct PropertyViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of property.
    public var kind: CheckRecord.Kind
    /// The property, as a sentence.
    public var property: String
    /// What was seen instead; may be empty.
    public var seen: String
    /// Where the simulation stood.
    public var position: Position?

    /// Makes one.
    public init(kind: CheckRecord.Kind, property: String, seen: String, position: Position?) {
        self.kind = kind
        self.property = property
        self.seen = seen
        self.position = position
    }

    /// All of it on one line.
    public var description: String {
        let seen = seen.isEmpty ? "" : ": \(seen)"
        let place = position.map { " (\($0))" } ?? ""
        return "property violated: \(kind.rawValue) “\(property)”\(seen)\(place)"
    }
}
