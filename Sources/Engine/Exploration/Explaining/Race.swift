public import Simulation

/// Two lines of a program whose order decides whether a run fails.
///
/// Found by delaying single steps of the failing run: where a step waits for one of another task, and all else goes on in
/// its order, and the run passes, the two must not be exchanged.
public struct Race: Sendable, Hashable, Codable {
    /// A line of source.
    public struct Line: Sendable, Hashable, Codable {
        /// Where it is.
        public var place: Trace.Place
        /// The line itself; empty where the file cannot be read.
        public var source: String

        /// Reads the line at a place; where a block only begins or ends there, the line of the statement around that.
        init(_ place: Trace.Place) {
            let statement = SourceLines.statement(at: place.line, of: place.file)
            self.place = place
            self.place.line = statement.line
            source = statement.source
        }

        /// A line that was read.
        init(place: Trace.Place, source: String) {
            self.place = place
            self.source = source
        }
    }

    /// One side.
    public struct Side: Sendable, Hashable, Codable {
        /// The number of its task.
        public var task: Int
        /// What a sentence calls the task, such as `the task of Bank.swift:12`.
        public var name: String
        /// The number of its step, from 1; 0 when the task does not come so far in the failing run.
        public var step: Int
        /// Where the code of that step begins; for the first step of a task, where it suspends next.
        public var place: Trace.Place
        /// The line of source; empty where the file cannot be read.
        public var source: String
        /// Lines that have called the function of ``place``, innermost first.
        public var callers: [Line]
        /// Whether the step is the first one of its task.
        public var begins: Bool
    }

    /// One step of a run, for a list of a few.
    public struct Moment: Sendable, Hashable, Codable {
        /// The number of its task.
        public var task: Int
        /// The number of the step, from 1.
        public var step: Int
        /// Where it begins.
        public var line: Line
    }

    /// The side that comes first in the failing run.
    public var early: Side
    /// The side that comes after it.
    public var late: Side
    /// The type of the actor on which both run, and which one it is where there are several; empty when there is none.
    public var actor: String
    /// The steps of both tasks, from the early side to the late one, as they ran.
    public var failing: [Moment]
    /// The same steps in the run that passes.
    public var passing: [Moment]
}

extension Program {
    /// Finds the two lines that must not be exchanged.
    ///
    /// - Parameters:
    ///   - recipe: A run that fails, as small as possible.
    ///   - trace: What the run has recorded.
    ///   - maximumRuns: How many runs may be tried.
    ///   - limit: How long further pairs are tried after the first, in real time.
    /// - Returns: `nil` when no two steps are found without whose order the run passes.
    public func race(
        _ recipe: Recipe,
        in trace: Trace,
        maximumRuns: Int = 1_000,
        limit: Duration = .milliseconds(600)
    ) -> Race? {
        let order = Rearrangement(trace)
        let failing = run(recipe)
        // Without a delay the same must happen, or the order does not say it all.
        guard let failure = failing.failure,
            run(recipe, order, steps: failing.steps).failure?.fingerprint == failure.fingerprint
        else { return nil }
        // Not before: the run may have taken long on a busy machine.
        let end = ContinuousClock.now + limit
        for (index, pair) in StepPairs(trace, waiting: failing.waiting).prefix(maximumRuns).enumerated() {
            if index > 0, ContinuousClock.now >= end { return nil }
            var other = order
            other.delay = trace.delay(of: pair)
            let result = run(recipe, other, steps: failing.steps)
            guard result.failure == nil, result.report?.isRearranged == true else { continue }
            if pair.isOpen {
                // Which of the steps is it that must come first?
                let passing = run(recipe, other, steps: failing.steps, recording: .everything).trace
                let needed = passing?.steps(of: pair, in: trace).first { [other] step in
                    var sooner = other
                    sooner.delay?.untilSteps = step
                    return run(recipe, sooner, steps: failing.steps).failure == nil
                }
                other.delay?.untilSteps = needed
            }
            let passing = run(recipe, other, steps: failing.steps, recording: .everything).trace
            if let race = Race(trace, pair, other.delay, passing) { return race }
        }
        return nil
    }

    /// Runs a recipe in the order of another run of it.
    ///
    /// - Parameter steps: How many steps that had: one that goes on for much longer explains nothing.
    func run(
        _ recipe: Recipe,
        _ order: Rearrangement,
        steps: Int,
        recording: Recording = .nothing
    ) -> RunResult {
        run(recipe, recording: recording) {
            $0.rearrangement = order
            $0.maximumSteps = min($0.maximumSteps, UInt64(10 * steps + 1_000))
        }
    }
}

extension Trace {
    /// The delay of the early step of a pair.
    fileprivate func delay(of pair: StepPairs.Pair) -> Rearrangement.Delay {
        let (first, second) = (steps[pair.early].task, steps[pair.late].task)
        return Rearrangement.Delay(
            task: first,
            steps: steps[..<pair.early].count { $0.task == first },
            untilTask: second,
            untilSteps: pair.isOpen ? nil : steps[...pair.late].count { $0.task == second }
        )
    }

    /// Which steps of its task run before the early step of an open pair: the numbers from the first that has not run by then.
    fileprivate func steps(of pair: StepPairs.Pair, in failing: Trace) -> ClosedRange<Int> {
        let task = failing.steps[pair.late].task
        let before = failing.steps[..<pair.early].count { $0.task == task } + 1
        return before...max(before, steps.count { $0.task == task })
    }

    /// The index of a step of a task, by its number among the steps of that task, from 1.
    fileprivate func index(ofStep number: Int, of task: Int) -> Int? {
        steps.indices.filter { steps[$0].task == task }.dropFirst(number - 1).first
    }

    /// The lines with which a step goes on, innermost first.
    ///
    /// Where a task comes back to its actor after an `await`, the table of lines may name the beginning of the block; then the
    /// line counts that the task came from.
    func lines(of step: Int) -> [Race.Line] {
        let places = stacks[steps[step].stack].map { self.places[$0] }
        let before = steps[..<step].lastIndex { $0.task == steps[step].task }
        if let before, steps[before].actor != steps[step].actor,
            let place = places.first, let last = stacks[steps[before].stack].first.map({ self.places[$0] }),
            last.file == place.file, last.function == place.function, last.line > place.line
        {
            return ([last] + places.dropFirst()).map { Race.Line($0) }
        }
        return places.map { Race.Line($0) }
    }
}

extension Race {
    /// - Parameters:
    ///   - delay: The delay with which the run passes.
    ///   - passing: That run.
    init?(_ trace: Trace, _ pair: StepPairs.Pair, _ delay: Rearrangement.Delay?, _ passing: Trace?) {
        guard let delay, let passing, let early = Side(trace, pair.early, passing),
            var late = Side(trace, pair.late, passing)
        else { return nil }
        if pair.isOpen, let number = delay.untilSteps,
            let index = passing.index(ofStep: number, of: delay.untilTask), let side = Side(passing, index)
        {
            late = side
            // The failing run need not come so far.
            late.step = 0
        }
        late.name = trace.name(ofTask: late.task, beside: early.task)
        let tasks: Set = [early.task, late.task]
        // Where both are in one function, its callers tell them apart.
        let shared = early.place == late.place ? early.place : .none
        func moments(_ trace: Trace, _ range: Range<Int>) -> [Moment] {
            range.filter { tasks.contains(trace.steps[$0].task) }.compactMap { index in
                guard let side = Side(trace, index) else { return nil }
                let caller = side.place == shared ? side.callers.first : nil
                return Moment(task: side.task, step: side.step, line: caller ?? Line(side.place))
            }
        }
        // Up to the early step both runs are the same; it ends what is worth comparing.
        let end = passing.index(ofStep: delay.steps + 1, of: delay.task) ?? pair.late
        let length = pair.isOpen ? max(end, pair.late) + 1 - pair.early : pair.late + 1 - pair.early
        func range(_ trace: Trace) -> Range<Int> { pair.early..<min(trace.steps.count, pair.early + length) }
        self.init(
            early: early,
            late: late,
            actor: pair.isOnOneActor ? trace.actorName(of: trace.steps[pair.late]) : "",
            failing: moments(trace, range(trace)),
            passing: moments(passing, range(passing))
        )
    }
}

extension Race.Side {
    /// - Parameters:
    ///   - index: The index of its step.
    ///   - passing: A run in which the task may go further.
    init?(_ trace: Trace, _ index: Int, _ passing: Trace? = nil) {
        let step = trace.steps[index]
        var lines = trace.lines(of: index)
        if step.begins {
            // What a task does first stands behind the line that has spawned it.
            let first =
                trace.linesAfterBeginning(of: step.task) ?? passing?.linesAfterBeginning(of: step.task)
            lines = first ?? lines
        }
        guard let place = lines.first else { return nil }
        self.init(
            task: step.task,
            name: trace.name(ofTask: step.task),
            step: index + 1,
            place: place.place,
            source: place.source,
            callers: trace.callers(in: lines, of: step.task),
            begins: step.begins
        )
    }
}

extension Trace {
    /// The lines that have called the first one, without what all steps of the task share: a harness that runs it.
    func callers(in lines: [Race.Line], of task: Int) -> [Race.Line] {
        let stacks = steps.filter { $0.task == task && !$0.begins }.map { self.stacks[$0.stack] }
        let outermost = Set(stacks.map { $0.last ?? 0 })
        let harness = outermost.count == 1 ? outermost.first.map { places[$0] } : nil
        return lines.dropFirst().filter { line in
            !line.source.isEmpty && (line.place != harness || line.place.file == lines[0].place.file)
        }.prefix(2).map(\.self)
    }

    /// The lines with which a task goes on for the first time.
    fileprivate func linesAfterBeginning(of task: Int) -> [Race.Line]? {
        guard let second = steps.indices.filter({ steps[$0].task == task }).dropFirst().first,
            let place = stacks[steps[second].stack].first.map({ places[$0] }),
            place.line > 0, SourceLines.isStatement(SourceLines.line(place.line, of: place.file))
        else { return nil }
        return lines(of: second)
    }
}

extension Race.Line: CustomStringConvertible {
    /// The file's name with the line, and the source.
    public var description: String {
        let name = place.name.isEmpty ? place.function : place.name
        return source.isEmpty ? name : "\(name)  \(source)"
    }
}

extension Race: CustomStringConvertible {
    /// Where the early task goes on, and where the late one does, with their source; a line each.
    public var description: String {
        func line(_ side: Side) -> String {
            // Where both are in one function, its callers tell them apart.
            let caller = early.place == late.place ? side.callers.first : nil
            return "\(caller ?? Line(place: side.place, source: side.source))"
        }
        let goesOn = late.step == 0 ? "comes to" : late.begins ? "begins at" : "goes on at"
        let onActor = actor.isEmpty ? "" : "\nboth on the actor \(actor)"
        return "\(line(early))\nbefore \(late.name) \(goesOn)\n\(line(late))\(onActor)"
    }
}
