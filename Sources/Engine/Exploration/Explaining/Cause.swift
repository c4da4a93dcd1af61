public import Simulation

/// One thing that a program did without which its failing run passes: a cancellation, a step of a clock, or the end of a sleep.
///
/// Each is found by a run in the same order that does without it.
public struct Cause: Sendable, Hashable, Codable {
    /// What kind of thing.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A task or a group was cancelled, by the program or by a search for cancellations.
        case cancellation
        /// A wall clock was set.
        case clockStep
        /// A sleep came to its end, after which its task cancelled something or ended itself.
        case timeOut
    }

    /// What kind of thing.
    public var kind: Kind
    /// What it happened to, such as `the task of Bank.swift:12`; empty for a time-out.
    public var subject: String
    /// The number of the step in which it happened, from 1; 0 before the first.
    public var step: Int
    /// Where; for a cancellation by a search, where the cancelled task was suspended.
    public var line: Race.Line
    /// Lines that have called the function of ``line``, innermost first.
    public var callers: [Race.Line]
}

extension Cause: CustomStringConvertible {
    /// What happened, in words that go on with “without which the run passes”.
    package var title: String {
        switch kind {
        case .cancellation: "the cancellation of \(subject)"
        case .clockStep: "the step of the clock of \(subject)"
        case .timeOut: "the time-out by the end of a sleep"
        }
    }

    /// What happened, and the line; two lines of text.
    public var description: String { "\(title), without which the run passes, at\n\(line)" }
}

extension Program {
    /// Finds cancellations, steps of clocks and time-outs without which a run passes, the last of each kind.
    ///
    /// - Parameters:
    ///   - recipe: A run that fails, as small as possible.
    ///   - trace: What the run has recorded.
    ///   - maximumRuns: How many runs may be tried.
    ///   - limit: How long further ones are tried after the first, in real time.
    /// - Returns: In the order in which they happened.
    public func causes(
        _ recipe: Recipe,
        in trace: Trace,
        maximumRuns: Int = 60,
        limit: Duration = .milliseconds(300)
    ) -> [Cause] {
        let suspects = trace.suspects
        let failing = run(recipe)
        let order = Rearrangement(trace)
        guard let failure = failing.failure, !suspects.isEmpty || failing.report?.cancellationPoint != nil,
            run(recipe, order, steps: failing.steps).failure?.fingerprint == failure.fingerprint
        else { return [] }
        var found: [Cause.Kind: Cause] = [:]
        if case .after(.number(let task), let steps) = failing.report?.cancellationPoint,
            let cause = trace.cause(cancelled: task, after: steps)
        {
            var other = recipe
            other.cancellation = nil
            // What a strategy draws is not wanted either.
            other.preemptions = other.preemptions ?? []
            if run(other, order, steps: failing.steps).failure == nil { found[.cancellation] = cause }
        }
        // Not before: names of places, and the run, may have taken long on a busy machine.
        let end = ContinuousClock.now + limit
        for (index, suspect) in suspects.prefix(maximumRuns).enumerated()
        where found[suspect.cause.kind] == nil {
            if index > 0, ContinuousClock.now >= end { break }
            var other = order
            other.omission = suspect.omission
            if run(recipe, other, steps: failing.steps).failure == nil {
                found[suspect.cause.kind] = suspect.cause
            }
        }
        return found.values.sorted { ($0.step, $0.kind.rawValue) < ($1.step, $1.kind.rawValue) }
    }
}

extension Trace {
    /// Something that may be a cause, and what a run does without.
    fileprivate struct Suspect {
        var omission: Rearrangement.Omission
        var cause: Cause
    }

    /// What may be a cause, the last first.
    fileprivate var suspects: [Suspect] {
        var numbers: [Act.Kind: Int] = [:]
        let acts = acts.compactMap { act -> Suspect? in
            let number = numbers[act.kind, default: 0] + 1
            numbers[act.kind] = number
            guard let place = place(of: Mark(fault: nil, step: act.step, stack: act.stack)) else {
                return nil
            }
            let isCancellation = act.kind == .cancellation
            let subject = !isCancellation ? act.detail : act.task == 0 ? "a group" : name(ofTask: act.task)
            return Suspect(
                omission: isCancellation ? .cancellation(number) : .clockStep(number),
                cause: Cause(
                    kind: isCancellation ? .cancellation : .clockStep,
                    subject: subject,
                    step: act.step,
                    line: place.line,
                    callers: place.callers
                )
            )
        }
        // Of two in one step the later one is nearer to what came of both.
        return (acts + timeOuts).enumerated().sorted {
            ($0.element.cause.step, $0.offset) > ($1.element.cause.step, $1.offset)
        }.map(\.element)
    }

    /// Sleeps after whose end their task cancels something at once, or ends.
    private var timeOuts: [Suspect] {
        let cancelling = Set(acts.lazy.filter { $0.kind == .cancellation }.map(\.step))
        var before: [Int: (index: Int, count: Int)] = [:]
        let last = Dictionary(steps.indices.map { (steps[$0].task, $0) }) { $1 }
        return steps.indices.compactMap { index in
            let step = steps[index]
            let earlier = before[step.task]
            before[step.task] = (index, (earlier?.count ?? 0) + 1)
            // A task that wakes up by itself, later than it began to wait.
            guard step.task > 0, let earlier, step.cause == earlier.index + 1,
                step.nanoseconds > steps[earlier.index].nanoseconds,
                cancelling.contains(index + 1) || step.task > 1 && last[step.task] == index
            else { return nil }
            let lines = lines(of: index)
            guard let line = lines.first, line.place.line > 0 else { return nil }
            return Suspect(
                omission: .wakeUp(task: step.task, step: earlier.count),
                cause: Cause(
                    kind: .timeOut,
                    subject: "",
                    step: index + 1,
                    line: line,
                    callers: callers(in: lines, of: step.task)
                )
            )
        }
    }

    /// What a search has cancelled.
    fileprivate func cause(cancelled task: Int, after count: Int) -> Cause? {
        let own = steps.indices.filter { steps[$0].task == task }
        // It goes on where it was suspended.
        guard own.count >= count, count > 0, let index = own.dropFirst(count).first ?? own.last else {
            return nil
        }
        let lines = lines(of: index)
        guard let line = lines.first else { return nil }
        return Cause(
            kind: .cancellation,
            subject: name(ofTask: task),
            step: own[count - 1] + 1,
            line: line,
            callers: callers(in: lines, of: task)
        )
    }
}
