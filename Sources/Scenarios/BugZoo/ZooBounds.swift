/// What searching and shrinking must achieve with the programs of the zoo.
public struct ZooBounds: Sendable {
    /// What was measured of one program.
    public struct Measurement: Sendable {
        /// The program's name.
        public var name: String
        /// Runs until the best strategy finds the bug; `nil` when none does.
        public var runs: Int?
        /// The share of decisions and faults that shrinking leaves out, 0…1; `nil` when nothing was shrunk.
        public var reduction: Double?
        /// Real time of shrinking, in seconds.
        public var seconds: Double
        /// Whether the small case fails as the found one does.
        public var smallCaseFails: Bool
        /// Seeds from which the fixed version fails.
        public var fixedFailures: Int

        /// What was measured of the program called `name`.
        public init(
            name: String,
            runs: Int?,
            reduction: Double?,
            seconds: Double,
            smallCaseFails: Bool,
            fixedFailures: Int
        ) {
            self.name = name
            self.runs = runs
            self.reduction = reduction
            self.seconds = seconds
            self.smallCaseFails = smallCaseFails
            self.fixedFailures = fixedFailures
        }
    }

    /// Runs within which at least one strategy must find each bug.
    public var runs = 1000
    /// The share of decisions and faults that shrinking must leave out of half of the failures.
    public var reduction = 0.9
    /// Real time in which each failure must be shrunk, in seconds.
    public var seconds = 10.0

    /// The bounds that every change is held to.
    public init() {}

    /// The median of the shares that shrinking leaves out, or `nil` when nothing was shrunk.
    public static func medianReduction(_ measurements: [Measurement]) -> Double? {
        let reductions = measurements.compactMap(\.reduction).sorted()
        return reductions.isEmpty ? nil : reductions[reductions.count / 2]
    }

    /// One line for each bound that is broken, with the program that breaks it.
    public func broken(by measurements: [Measurement]) -> [String] {
        var lines = measurements.flatMap(broken(by:))
        let median = Self.medianReduction(measurements) ?? 0
        if median < reduction {
            lines.append(
                "shrinking leaves out \(percent(median)) % of the decisions and faults (median), "
                    + "and must leave out \(percent(reduction)) %"
            )
        }
        return lines
    }

    private func broken(by found: Measurement) -> [String] {
        var lines: [String] = []
        if found.fixedFailures > 0 {
            lines.append("\(found.name): its fixed version fails from \(found.fixedFailures) seeds")
        }
        guard let needed = found.runs, needed <= runs else {
            return lines + ["\(found.name): no strategy finds it within \(runs) seeds"]
        }
        guard found.reduction != nil else { return lines + ["\(found.name): it cannot be shrunk"] }
        if !found.smallCaseFails { lines.append("\(found.name): what shrinking leaves does not fail") }
        if found.seconds >= seconds {
            lines.append("\(found.name): shrinking takes \(seconds) s or more")
        }
        return lines
    }

    // Rounded down, so that a share just below a bound does not look like it.
    private func percent(_ share: Double) -> Int { Int((share * 100).rounded(.down)) }
}
