public import Exploration

/// What a sweep in workers finds of a way, compared with one that gives each seed a process of its own.
public struct Comparison {
    /// What is run.
    public let way: Way
    /// From which seeds.
    public let seeds: ClosedRange<UInt64>
    /// With a process for each seed; what all others must be equal to.
    public let reference: SweepResult

    /// Runs each seed in a process of its own; blocks the calling thread, whose process must have no other that runs.
    ///
    /// - Throws: `ForkError`.
    public init(_ way: Way, seeds: ClosedRange<UInt64>, jobs: Int) throws(ForkError) {
        self.way = way
        self.seeds = seeds
        reference = try Self.sweep(way, seeds, jobs: jobs, .seed)
    }

    /// What a sweep in workers has found.
    public struct Result {
        /// The whole result.
        public var found: SweepResult
        /// What is not as in the reference, a line for each; empty where every byte is the same.
        public var differences: [String]
        /// Why each seed had a process of its own in the end; `nil` where none had.
        public var dependence: StaticsDependence? { found.statics }
    }

    /// Runs the same seeds in workers, one after the other in each.
    ///
    /// - Throws: `ForkError`.
    public func compare(jobs: Int) throws(ForkError) -> Result {
        let found = try Self.sweep(way, seeds, jobs: jobs, .worker)
        var same = found
        same.statics = nil
        var differences: [String] = []
        func note(_ what: String, _ expected: some Equatable, _ actual: some Equatable) {
            let (expected, actual) = ("\(expected)", "\(actual)")
            if expected != actual { differences.append("\(what): \(actual) in workers, \(expected) alone") }
        }
        if reference.seeds != [seeds] {
            differences.append("not all seeds were run alone: \(reference.seeds)")
        }
        if same != reference {
            note("runs", reference.runs, same.runs)
            note("steps", reference.steps, same.steps)
            note("virtual time", reference.nanoseconds, same.nanoseconds)
            for name in Set(reference.failures.keys).union(same.failures.keys).sorted() {
                note("“\(name)”", reference.failures[name]?.count ?? 0, same.failures[name]?.count ?? 0)
            }
            note("sum of hashes", reference.hash, same.hash)
            note("schedules", reference.schedules, same.schedules)
            for (name, group) in reference.failures {
                for (expected, actual) in zip(group.runs, same.failures[name]?.runs ?? [])
                where expected != actual {
                    note("a run of “\(name)”", expected, actual)
                }
            }
            if differences.isEmpty { differences.append("checks differ") }
        }
        return Result(found: found, differences: differences)
    }

    private static func sweep(
        _ way: Way,
        _ seeds: ClosedRange<UInt64>,
        jobs: Int,
        _ isolation: Sweep.Isolation
    ) throws(ForkError) -> SweepResult {
        let program = Program(name: way.name, summary: way.summary, body: way.body)
        var sweep = Sweep(program, seeds: seeds, jobs: jobs, keepsGoing: true)
        sweep.isolation = isolation
        return try sweep.run()
    }
}
