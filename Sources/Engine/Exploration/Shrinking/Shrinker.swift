public import Simulation

/// Makes a failing run as small as it gets: less work, fewer faults, fewer decisions that have to be written down.
///
/// Decisions are departures from one of two rules that need no writing, `Schedule.runUntilBlocked` and first in, first out;
/// the shorter recipe wins.
public struct Shrinker: Sendable {
    /// What a run consists of.
    public struct Size: Sendable, Hashable, Codable {
        /// Decisions between several ready steps that have to be written down.
        ///
        /// All of them in a run as it was found; of a small one those that differ from the rule of its strategy.
        public var decisions: Int
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
        /// How a test names the program; `nil` where it cannot.
        public var code: Program.Code?
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
        /// Whether nothing more can be left out; `false` when a limit ended the search.
        public var isMinimal: Bool

        /// The share of decisions and faults that could be left out, 0…1.
        public var reduction: Double {
            let (whole, rest) = (before.decisions + before.faults, after.decisions + after.faults)
            return whole == 0 ? 1 : 1 - Double(rest) / Double(whole)
        }

        /// Whether the run that was found has decisions, faults or work that shrinking can leave out: otherwise both are the same.
        public var hasChoices: Bool {
            before.decisions > 0 || before.faults > 0 || before.work != after.work
        }
    }

    private let program: Program
    private let limit: Duration
    private let maximumTries: Int
    /// Whether each run has a process of its own, which a crash or an exit may end.
    ///
    /// Then the thread that shrinks must be the only one that runs Swift code in this process meanwhile.
    public var isIsolated = false
    /// Asked between runs: whether somebody wants it to end with what it has.
    public var isStopped: @Sendable () -> Bool = { false }

    /// Makes a shrinker.
    ///
    /// - Parameters:
    ///   - program: What failed.
    ///   - limit: Real time after which it gives what it has.
    ///   - maximumTries: Runs after which it gives what it has.
    public init(_ program: Program, limit: Duration = .seconds(10), maximumTries: Int = .max) {
        self.program = program
        self.limit = limit
        self.maximumTries = maximumTries
    }

    /// Shrinks a failing run, on the calling thread.
    ///
    /// - Throws: ``ShrinkError`` when the run does not fail, or not in the same way each time.
    public func shrink(_ recipe: Recipe) throws(ShrinkError) -> Result {
        let first: ObservedRun
        do throws(ForkError) {
            first = try program.observe(recipe, recording: .decisions, isolated: isIsolated)
        } catch { throw .noProcess(error) }
        guard let failure = first.failure, let recorded = first.recorded else { throw .passes("\(recipe)") }
        var search = Search(
            program: program,
            fingerprint: failure.fingerprint,
            isIsolated: isIsolated,
            limit: limit,
            maximumTries: maximumTries,
            isStopped: isStopped,
            best: recorded
        )
        guard search.adoptFirst() else {
            throw search.forkError.map { .noProcess($0) } ?? .unstable("\(recipe)")
        }
        var before = search.size
        before.decisions = recorded.decisions?.count ?? 0
        search.run()
        return Result(
            program: program.name,
            code: program.code,
            failure: search.failure,
            original: recipe,
            shrunk: withTaskNames(search.best, fingerprint: search.failure.fingerprint),
            before: before,
            after: search.size,
            tries: search.tries,
            isMinimal: !search.isOver
        )
    }

    private func withTaskNames(_ recipe: Recipe, fingerprint: String) -> Recipe {
        // Without a process for it the recipe keeps its numbers.
        let named = try? program.withTaskNames(recipe, fingerprint: fingerprint, isolated: isIsolated)
        return named ?? recipe
    }
}

/// Why a run cannot be shrunk.
public enum ShrinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It does not fail.
    case passes(String)
    /// It fails, but not when its decisions are replayed.
    case unstable(String)
    /// No process could be made for a run.
    case noProcess(ForkError)

    /// What was tried, and what to do.
    public var description: String {
        switch self {
        case .passes(let recipe): "the run does not fail: \(recipe)"
        case .noProcess(let error): "\(error)"
        case .unstable(let recipe):
            "the run fails, but its recorded decisions do not reproduce it: \(recipe); does it depend on something outside the "
                + "simulation? lenssim run NAME --recipe '…' --check-determinism tells, and Simulation.checkDeterminism in a "
                + "program of your own"
        }
    }
}

/// The search for a smaller run.
private struct Search {
    /// How decisions are written down.
    enum Form {
        /// As departures from `Schedule.runUntilBlocked`.
        case preemptions
        /// As departures from first in, first out.
        case decisions
    }

    let program: Program
    let fingerprint: String
    let isIsolated: Bool
    let end: ContinuousClock.Instant
    let maximumTries: Int
    let isStopped: @Sendable () -> Bool
    private(set) var best: Recipe
    private(set) var failure: Failure
    private(set) var size = Shrinker.Size(decisions: 0, faults: 0, work: 0, steps: 0)
    private(set) var tries = 0
    private(set) var isOver = false
    /// Why a run could not be made, which ends the search.
    private(set) var forkError: ForkError?
    private var form = Form.decisions
    private var workloads: [String: Int] = [:]
    /// What the best run has chosen, in both forms.
    private var chosen: (decisions: [Decision], preemptions: [Preemption]) = ([], [])

    init(
        program: Program,
        fingerprint: String,
        isIsolated: Bool,
        limit: Duration,
        maximumTries: Int,
        isStopped: @escaping @Sendable () -> Bool,
        best: Recipe
    ) {
        self.program = program
        self.isIsolated = isIsolated
        self.isStopped = isStopped
        self.maximumTries = maximumTries
        self.fingerprint = fingerprint
        self.best = best
        failure = Failure(ShrinkError.passes(""))
        end = ContinuousClock.now + limit
    }

    /// Shrinks in one form, and in the other if that leaves something to wish.
    mutating func run() {
        // Large pieces first: what a whole strategy has done may not matter at all.
        if best.cancellation != nil {
            var without = best
            without.cancellation = nil
            adopt(without)
        }
        let found = self
        form = .preemptions
        guard adopt(inPreemptions: chosen.preemptions) else {
            self = found
            return shrinkAll()
        }
        shrinkAll()
        guard size.decisions > 1, !isOver else { return }
        let preempting = self
        form = .decisions
        var listed = best
        (listed.preemptions, listed.decisions) = (nil, chosen.decisions)
        if adopt(listed) { shrinkAll() }
        guard size.decisions >= preempting.size.decisions else { return }
        (best, failure, size) = (preempting.best, preempting.failure, preempting.size)
    }

    /// Repeats all passes until none of them helps.
    private mutating func shrinkAll() {
        var before: Shrinker.Size
        repeat {
            before = size
            shrinkWork()
            shrinkFaults()
            switch form {
            case .preemptions: shrinkPreemptions()
            case .decisions: shrinkDecisions()
            }
        } while size != before && !isOver
    }

    /// Runs a candidate; takes it when it fails in the same way.
    ///
    /// What it really did takes its place, so that it can be repeated exactly.
    @discardableResult
    mutating func adopt(_ candidate: Recipe) -> Bool {
        if ContinuousClock.now >= end || tries >= maximumTries || isStopped() { isOver = true }
        return !isOver && takeIfItFails(candidate)
    }

    /// Repeats the run that was found, which no limit forbids.
    mutating func adoptFirst() -> Bool { takeIfItFails(best) }

    /// In another order a loop that waits for another task may go on forever; one that takes so much longer is no smaller run.
    private var mostSteps: Int? { size.steps > 0 ? 10 * size.steps + 10_000 : nil }

    private mutating func takeIfItFails(_ candidate: Recipe) -> Bool {
        tries += 1
        let run: ObservedRun
        do throws(ForkError) {
            run = try program.observe(
                candidate,
                recording: .decisions,
                mostSteps: mostSteps,
                isolated: isIsolated
            )
        } catch {
            (forkError, isOver) = (error, true)
            return false
        }
        guard let failure = run.failure, failure.fingerprint == fingerprint, var recorded = run.recorded
        else {
            return false
        }
        recorded.strategy = form == .preemptions ? .runUntilBlocked : .fifo
        recorded.preemptions = form == .preemptions ? run.preemptions : nil
        recorded.decisions = form == .decisions ? run.decisions : nil
        while recorded.decisions?.last?.index == 0 { recorded.decisions?.removeLast() }
        best = recorded
        chosen = (run.decisions, run.preemptions)
        self.failure = failure
        workloads = run.workloads
        let omitted = best.omittedWork.values.reduce(0) { $0 + $1.count }
        size = Shrinker.Size(
            decisions: best.preemptions?.count ?? best.decisions?.count { $0.index != 0 } ?? 0,
            faults: recorded.firings?.count ?? 0,
            work: workloads.values.reduce(0, +) - omitted,
            steps: run.steps
        )
        return true
    }

    private mutating func adopt(inPreemptions preemptions: [Preemption]) -> Bool {
        var candidate = best
        (candidate.preemptions, candidate.decisions) = (preemptions, nil)
        return adopt(candidate)
    }

    private mutating func shrinkWork() {
        for (label, count) in workloads.sorted(by: { $0.key < $1.key }) {
            let present = (0..<count).filter { !(best.omittedWork[label] ?? []).contains($0) }
            _ = minimised(present) { part in
                var candidate = best
                candidate.omittedWork[label] = (0..<count).filter { !part.contains($0) }
                return tried(candidate, withFewerTasks: present.count - part.count)
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

    private mutating func shrinkPreemptions() {
        _ = minimised(best.preemptions ?? []) { part in
            let took = adopt(inPreemptions: part)
            return isOver ? nil : took
        }
    }

    private mutating func shrinkDecisions() {
        let decisions = best.decisions ?? []
        _ = minimised(decisions.indices.filter { decisions[$0].index != 0 }) { part in
            var candidate = best
            var kept = Array(repeating: Decision(index: 0), count: decisions.count)
            for position in part { kept[position] = Decision(index: decisions[position].index) }
            candidate.decisions = kept
            return tried(candidate)
        }
        shortenDecisions()
    }

    /// Takes the ready step that has waited longer, where that does.
    private mutating func shortenDecisions() {
        let decisions = best.decisions ?? []
        for position in decisions.indices where decisions[position].index > 1 {
            var candidate = best
            guard position < candidate.decisions?.count ?? 0 else { break }
            candidate.decisions = candidate.decisions?.map { Decision(index: $0.index) }
            candidate.decisions?[position] = Decision(index: 1)
            adopt(candidate)
            if isOver { return }
        }
    }

    /// Tries a run in which fewer tasks are made, also with later tasks numbered so.
    ///
    /// `nil` when time is up.
    private mutating func tried(_ candidate: Recipe, withFewerTasks missing: Int) -> Bool? {
        let took = tried(candidate)
        guard took == false, let preemptions = candidate.preemptions, missing > 0 else { return took }
        for first in Set(preemptions.flatMap(\.tasks)).sorted() where first > missing {
            var renumbered = candidate
            renumbered.preemptions = preemptions.map { $0.shifted(from: first, by: missing) }
            let took = tried(renumbered)
            if took != false { return took }
        }
        return false
    }

    /// `nil` when time is up.
    private mutating func tried(_ candidate: Recipe) -> Bool? {
        let took = adopt(candidate)
        return isOver ? nil : took
    }
}

extension Preemption {
    /// The numbers of the tasks that it names.
    fileprivate var tasks: [Int] {
        var tasks = [after]
        if case .task(let task) = target { tasks.append(task) }
        return tasks.compactMap { if case .number(let number) = $0, number > 0 { number } else { nil } }
    }

    /// With tasks from a number on called by lower ones.
    fileprivate func shifted(from first: Int, by missing: Int) -> Preemption {
        func number(_ task: TaskID) -> TaskID {
            guard case .number(let number) = task, number >= first else { return task }
            return .number(number - missing)
        }
        guard case .task(let task) = target else {
            return Preemption(after: number(after), steps: steps, to: target)
        }
        return Preemption(after: number(after), steps: steps, to: .task(number(task)))
    }
}
