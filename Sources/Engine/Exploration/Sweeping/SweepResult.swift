public import Foundation
public import Simulation

/// What a sweep over many seeds has found; the results of parts merge into that of the whole.
///
/// Holds nothing that differs between machines or runs, such as times, so that the same seeds give the same result,
/// byte for byte as JSON, however they were divided.
public struct SweepResult: Sendable, Hashable, Codable {
    /// The version of the form; readers refuse others.
    public static let currentVersion = 4

    /// A failing run.
    public struct FailedRun: Sendable, Hashable, Codable {
        /// What decided it.
        public var recipe: Recipe
        /// How it failed.
        public var failure: Failure

        package init(recipe: Recipe, failure: Failure) {
            self.recipe = recipe
            self.failure = failure
        }
    }

    /// All runs that failed in one way.
    public struct FailureGroup: Sendable, Hashable, Codable {
        /// How many.
        public var count: Int
        /// Those of the lowest seeds, ascending; at most ``SweepResult/keptRuns``.
        public var runs: [FailedRun]
    }

    /// How many failing runs of one kind are kept.
    public static let keptRuns = 10

    /// See ``currentVersion``.
    public var version = SweepResult.currentVersion
    /// The program's name.
    public var program: String
    /// How steps were chosen.
    public var strategy: Strategy
    /// The seeds that were run, ascending, with both ends; neighbours are joined.
    public var seeds: [ClosedRange<UInt64>]
    /// Runs, branches among them.
    public var runs: Int
    /// Runs that began at a branch.
    public var branches: Int
    /// Steps of all runs.
    public var steps: Int
    /// Virtual time of all runs, in nanoseconds.
    public var nanoseconds: Int64
    /// Failures by fingerprint.
    public var failures: [String: FailureGroup]
    /// Checks in the code, by place.
    public var checks: [CheckRecord]
    /// Names of `sometimes` that should be reached.
    public var expects: [String]
    /// How many different orders of steps there were, about.
    public var schedules: DistinctCount
    /// The sum of the hashes of all runs, without what is beyond 64 bits: the hash of the run where there was one.
    public var hash: UInt64
    /// Why each seed had a process of its own; `nil` where no run was seen to depend on earlier ones.
    public var statics: StaticsDependence?

    /// A sweep of nothing.
    public init(program: String, strategy: Strategy, expects: [String] = []) {
        self.program = program
        self.strategy = strategy
        self.expects = expects
        seeds = []
        runs = 0
        branches = 0
        steps = 0
        nanoseconds = 0
        failures = [:]
        checks = []
        schedules = DistinctCount()
        hash = 0
    }

    /// What came of one run.
    ///
    /// - Throws: ``ForkError``.
    package init(of recipe: Recipe, _ program: Program, isolated: Bool) throws(ForkError) {
        self.init(program: program.name, strategy: recipe.strategy, expects: program.expects)
        add(ForkedRunResult(try program.observe(recipe, isolated: isolated), recipe: recipe))
    }

    /// The first run of each kind of failure, by seed.
    package var firstRuns: [FailedRun] {
        failures.values.compactMap(\.runs.first).sorted {
            ($0.recipe.seed, $0.failure.fingerprint) < ($1.recipe.seed, $1.failure.fingerprint)
        }
    }

    /// How many runs failed.
    public var failedRuns: Int { failures.values.reduce(0) { $0 + $1.count } }

    /// `sometimes` checks that never held, with their places, and expected ones that were never met.
    public var neverReached: [String] {
        let sometimes = checks.filter { $0.kind == .sometimes }
        let reached = Set(sometimes.filter { $0.hits > 0 }.map(\.name))
        let met = sometimes.filter { !reached.contains($0.name) }.map {
            "“\($0.name)” at \($0.file):\($0.line)"
        }
        let unmet = expects.filter { name in !sometimes.contains { $0.name == name } }
        return met + unmet.map { "“\($0)”, whose place was never passed" }
    }

    /// The bytes of a file with it, which are the same for the same result.
    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    // MARK: Adding

    /// Counts a run; its seed is counted with ``cover(_:)``.
    public mutating func add(_ result: RunResult) { add(ForkedRunResult(result, recipe: result.recipe)) }

    mutating func add(_ run: ForkedRunResult) {
        runs += 1
        if !run.recipe.branches.isEmpty { branches += 1 }
        steps += run.steps
        nanoseconds += run.nanoseconds
        schedules.add(run.order)
        hash &+= run.hash
        if let failure = run.failure {
            merge([
                failure.fingerprint: FailureGroup(
                    count: 1,
                    runs: [FailedRun(recipe: run.recipe, failure: failure)]
                )
            ])
        }
        if !run.checks.isEmpty { merge(run.checks) }
    }

    /// Adds the failure of a run that is not one of the sweep's own.
    mutating func note(_ run: ForkedRunResult) {
        guard let failure = run.failure else { return }
        let failed = FailedRun(recipe: run.recipe, failure: failure)
        merge([failure.fingerprint: FailureGroup(count: 1, runs: [failed])])
    }

    /// Notes that seeds were run.
    public mutating func cover(_ range: ClosedRange<UInt64>) { seeds = Self.joined(seeds + [range]) }

    /// Adds what another part of the same sweep has found.
    ///
    /// - Throws: ``MergeError`` when it is of another program, strategy or version, or of the same seeds.
    public mutating func merge(_ other: SweepResult) throws(MergeError) {
        guard other.version == version else { throw .version(other.version) }
        guard other.program == program, other.strategy == strategy else {
            throw .different(
                "\(program) with \(strategy.rawValue)",
                "\(other.program) with \(other.strategy.rawValue)"
            )
        }
        for range in other.seeds {
            if let twice = seeds.first(where: { $0.overlaps(range) }) {
                throw .overlap(twice.clamped(to: range))
            }
        }
        addCase(other)
        expects = Array(Set(expects).union(other.expects)).sorted()
    }

    /// Adds only what another sweep, of any program, has found out about the checks in the code.
    package mutating func addChecks(of other: SweepResult) {
        runs += other.runs
        merge(other.checks)
    }

    /// Adds what other runs of the same program have found, also with the same seeds, as another case of a test has.
    package mutating func addCase(_ other: SweepResult) {
        seeds = Self.joined(seeds + other.seeds)
        runs += other.runs
        branches += other.branches
        steps += other.steps
        nanoseconds += other.nanoseconds
        schedules.merge(other.schedules)
        hash &+= other.hash
        merge(other.failures)
        merge(other.checks)
        statics = statics ?? other.statics
    }

    private mutating func merge(_ others: [String: FailureGroup]) {
        for (fingerprint, group) in others {
            var mine = failures[fingerprint] ?? FailureGroup(count: 0, runs: [])
            mine.count += group.count
            mine.runs = Array(
                (mine.runs + group.runs).sorted { $0.comesBefore($1) }.prefix(Self.keptRuns)
            )
            failures[fingerprint] = mine
        }
    }

    private mutating func merge(_ others: [CheckRecord]) {
        for other in others {
            if let index = checks.firstIndex(where: { $0.isSameCheck(as: other) }) {
                checks[index].add(other)
            } else {
                checks.append(other)
            }
        }
        checks.sort { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) }
    }

    /// Adds a part of the same sweep, which always fits.
    package static func mergeParts(_ part: SweepResult, into whole: inout SweepResult) {
        do { try whole.merge(part) } catch { preconditionFailure("parts of one sweep do not fit: \(error)") }
    }

    /// The figures of the progress line.
    var progress: Sweep.Progress {
        let sometimes = checks.filter { $0.kind == .sometimes }
        return Sweep.Progress(
            done: runs,
            steps: steps,
            failed: failedRuns,
            schedules: schedules.estimate,
            reached: (
                Set(sometimes.filter { $0.hits > 0 }.map(\.name)).count,
                Set(sometimes.map(\.name)).union(expects).count
            )
        )
    }

    private static func joined(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // The cases of a test have the same seeds.
            if let last = joined.last,
                range.lowerBound <= last.upperBound || last.upperBound + 1 == range.lowerBound
            {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

/// Why two results do not belong together.
public enum MergeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It was written by another version of the program.
    case version(Int)
    /// They are of different sweeps.
    case different(String, String)
    /// Both have run the same seeds.
    case overlap(ClosedRange<UInt64>)

    /// What does not fit, and what to do.
    public var description: String {
        switch self {
        case .version(let version):
            "a result of form \(version) cannot be read: this program writes form \(SweepResult.currentVersion)"
        case .different(let one, let other): "these are results of different sweeps: \(one), and \(other)"
        case .overlap(let seeds):
            "the seeds \(seeds) are in two of the results: each part of a sweep must have seeds of its own"
        }
    }
}

extension CheckRecord {
    fileprivate func isSameCheck(as other: CheckRecord) -> Bool {
        line == other.line && kind == other.kind && name == other.name && file == other.file
    }
}

extension SweepResult.FailedRun {
    /// By recipe; of equal ones, which cases of one test may have, by message.
    fileprivate func comesBefore(_ other: Self) -> Bool {
        recipe == other.recipe
            ? failure.message < other.failure.message : recipe.comesBefore(other.recipe)
    }
}

extension Recipe {
    /// Ascending by seed; then runs without branches, then in order of the branches.
    fileprivate func comesBefore(_ other: Recipe) -> Bool {
        if seed != other.seed { return seed < other.seed }
        let mine = branches.map { ($0.point, $0.future) }
        let theirs = other.branches.map { ($0.point, $0.future) }
        return mine.lexicographicallyPrecedes(theirs) { $0 < $1 }
    }
}

extension Duration {
    /// Whole nanoseconds; clamped to about 292 years.
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
