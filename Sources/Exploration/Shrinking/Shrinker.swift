public import Simulation

/// Makes a failing run as small as it gets: less work, fewer faults, fewer choices that have to be written down.
///
/// Choices are compared with two rules that need no writing: first in, first out, and ``Schedule/steady``. The shorter
/// recipe wins.
public struct Shrinker: Sendable {
    /// What a run consists of.
    public struct Size: Sendable, Hashable, Codable {
        /// Choices between several ready steps that have to be written down.
        ///
        /// All of them in a run as it was found; of a small one those that differ from the rule of its strategy.
        public var choices: Int
        /// Faults.
        public var faults: Int
        /// Items of workloads.
        public var work: Int
        /// Steps.
        public var steps: Int
    }

    /// A failing run, and the smallest one like it that was found.
    public struct Result: Sendable, Codable {
        /// The program's name.
        public var program: String
        /// How both fail.
        public var failure: Failure
        /// The run that was found.
        public var original: Recipe
        /// The small one.
        public var shrunk: Recipe
        /// What the original consists of.
        public var before: Size
        /// What the small one consists of.
        public var after: Size
        /// Runs that were tried.
        public var tries: Int
        /// Whether nothing more can be left out; `false` when time was up.
        public var isMinimal: Bool

        /// The share of choices and faults that could be left out, 0…1.
        public var reduction: Double {
            let (whole, rest) = (before.choices + before.faults, after.choices + after.faults)
            return whole == 0 ? 1 : 1 - Double(rest) / Double(whole)
        }
    }

    private let program: Program
    private let limit: Duration

    /// Makes a shrinker.
    ///
    /// - Parameters:
    ///   - program: What failed.
    ///   - limit: Real time after which it gives what it has.
    public init(_ program: Program, limit: Duration = .seconds(10)) {
        self.program = program
        self.limit = limit
    }

    /// Shrinks a failing run, on the calling thread.
    ///
    /// - Throws: ``ShrinkError`` when the run does not fail, or not in the same way each time.
    public func shrink(_ recipe: Recipe) throws(ShrinkError) -> Result {
        let first = program.run(recipe, recording: .decisions)
        guard let failure = first.failure, let recorded = first.recorded else { throw .passes("\(recipe)") }
        var search = Search(program: program, fingerprint: failure.fingerprint, limit: limit, best: recorded)
        guard search.adopt(recorded) else { throw .unstable("\(recipe)") }
        var before = search.size
        before.choices = recorded.choices?.count ?? 0
        search.run()
        return Result(
            program: program.name,
            failure: search.failure,
            original: recipe,
            shrunk: search.best,
            before: before,
            after: search.size,
            tries: search.tries,
            isMinimal: !search.isOver
        )
    }
}

/// Why a run cannot be shrunk.
public enum ShrinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It does not fail.
    case passes(String)
    /// It fails, but not when its choices are replayed.
    case unstable(String)

    /// What was tried, and what to do.
    public var description: String {
        switch self {
        case .passes(let recipe): "the run does not fail: \(recipe)"
        case .unstable(let recipe):
            "the run fails, but not again from its recorded choices: \(recipe); does it depend on something outside the "
                + "simulation? lenssim run --check-determinism tells"
        }
    }
}

/// The search for a smaller run.
private struct Search {
    let program: Program
    let fingerprint: String
    let end: ContinuousClock.Instant
    private(set) var best: Recipe
    private(set) var failure: Failure
    private(set) var size = Shrinker.Size(choices: 0, faults: 0, work: 0, steps: 0)
    private(set) var tries = 0
    private(set) var isOver = false
    private var workloads: [String: Int] = [:]
    /// What a choice need not be written down for.
    private var rule = Strategy.steady
    /// All choices of the best run.
    private var full: [Choice] = []

    private var usual: Choice { rule == .steady ? .stay : Choice(index: 0) }
    private func isUsual(_ choice: Choice) -> Bool { rule == .steady ? choice.stays : choice.index == 0 }

    init(program: Program, fingerprint: String, limit: Duration, best: Recipe) {
        self.program = program
        self.fingerprint = fingerprint
        self.best = best
        failure = Failure(ShrinkError.passes(""))
        end = ContinuousClock.now + limit
    }

    /// Repeats all passes until none of them helps.
    mutating func run() {
        // Large pieces first: what a whole strategy has done may not matter at all.
        if best.cancellation != nil {
            var without = best
            without.cancellation = nil
            adopt(without)
        }
        shrinkAll()
        guard size.choices > 1, !isOver else { return }
        let steady = self
        rule = .fifo
        var other = best
        other.choices = full
        adopt(other)
        shrinkAll()
        if size.choices >= steady.size.choices {
            (best, failure, size, rule) = (steady.best, steady.failure, steady.size, .steady)
        }
    }

    private mutating func shrinkAll() {
        var before: Shrinker.Size
        repeat {
            before = size
            shrinkWork()
            shrinkFaults()
            shrinkChoices()
        } while size != before && !isOver
    }

    /// Runs a candidate; takes it when it fails in the same way.
    ///
    /// What it really did takes its place, so that it can be repeated exactly.
    @discardableResult
    mutating func adopt(_ candidate: Recipe) -> Bool {
        if ContinuousClock.now >= end { isOver = true }
        if isOver { return false }
        tries += 1
        let run = program.run(candidate, recording: .decisions)
        guard let failure = run.failure, failure.fingerprint == fingerprint, var recorded = run.recorded
        else {
            return false
        }
        full = recorded.choices ?? []
        recorded.strategy = rule
        recorded.choices = full.map { isUsual($0) ? usual : $0 }
        while let last = recorded.choices?.last, last.index == usual.index { recorded.choices?.removeLast() }
        best = recorded
        self.failure = failure
        workloads = run.report?.workloads ?? [:]
        let omitted = best.omittedWork.values.reduce(0) { $0 + $1.count }
        size = Shrinker.Size(
            choices: best.choices?.count { $0.index != usual.index } ?? 0,
            faults: recorded.firings?.count ?? 0,
            work: workloads.values.reduce(0, +) - omitted,
            steps: run.steps
        )
        return true
    }

    private mutating func shrinkWork() {
        for (label, count) in workloads.sorted(by: { $0.key < $1.key }) {
            let present = (0..<count).filter { !(best.omittedWork[label] ?? []).contains($0) }
            _ = minimised(present) { part in
                var candidate = best
                candidate.omittedWork[label] = (0..<count).filter { !part.contains($0) }
                return tried(candidate)
            }
        }
    }

    private mutating func shrinkFaults() {
        _ = minimised(best.firings ?? []) { part in
            var candidate = best
            candidate.firings = part
            return tried(candidate)
        }
    }

    private mutating func shrinkChoices() {
        let choices = best.choices ?? []
        _ = minimised(choices.indices.filter { choices[$0].index != usual.index }) { part in
            var candidate = best
            var kept = Array(repeating: usual, count: choices.count)
            for position in part { kept[position] = Choice(index: choices[position].index) }
            candidate.choices = kept
            return tried(candidate)
        }
        shortenChoices()
    }

    /// Takes the ready step that has waited longer, where that does.
    private mutating func shortenChoices() {
        let choices = best.choices ?? []
        for position in choices.indices
        where choices[position].index > 1 && choices[position].index != usual.index {
            var candidate = best
            guard position < candidate.choices?.count ?? 0 else { break }
            candidate.choices = candidate.choices?.map { Choice(index: $0.index) }
            candidate.choices?[position] = Choice(index: 1)
            adopt(candidate)
            if isOver { return }
        }
    }

    /// `nil` when time is up.
    private mutating func tried(_ candidate: Recipe) -> Bool? {
        let took = adopt(candidate)
        return isOver ? nil : took
    }
}
