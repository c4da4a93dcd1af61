public import Simulation

/// Two lines of a program whose order decides whether a run fails.
///
/// Found by undoing single scheduling decisions of the failing run: the one without which it passes lets one task go on
/// before another. The lines are those at which the two tasks go on, if possible on the actor that both use.
public struct Race: Sendable, Hashable, Codable {
    /// One side.
    public struct Side: Sendable, Hashable, Codable {
        /// The number of its task.
        public var task: Int
        /// The number of its step, from 1; 0 when the task does not go on any more.
        public var step: Int
        /// Where the code of that step begins.
        public var place: Trace.Place
        /// The line of source; empty where the file cannot be read.
        public var source: String
    }

    /// The task that is overtaken, where it goes on, or where it stood when it was.
    public var late: Side
    /// The task that comes before it.
    public var early: Side
    /// The type of the actor on which both run; empty when there is none.
    public var actor: String
    /// The number of the step that is decided, from 1.
    public var decided: Int
}

extension Program {
    /// Finds the two lines that must not be exchanged.
    ///
    /// - Parameters:
    ///   - recipe: A run that fails, as small as possible.
    ///   - trace: What the run has recorded.
    ///   - maximumRuns: How many runs may be tried.
    /// - Returns: `nil` when no single decision is found without which the run passes.
    public func race(_ recipe: Recipe, in trace: Trace, maximumRuns: Int = 200) -> Race? {
        let failing = run(recipe, recording: .decisions)
        guard let decisions = failing.recorded?.decisions, failing.failure != nil else { return nil }
        // The last decisions first: what comes before may only lead there.
        let steps = trace.steps.indices.filter { trace.steps[$0].ready > 1 }
        guard steps.count == decisions.count else { return nil }
        var left = maximumRuns
        for number in decisions.indices.reversed() {
            let step = steps[number]
            for other in 0..<trace.steps[step].ready where other != Int(decisions[number].index) {
                guard left > 0 else { return nil }
                left -= 1
                if let race = race(recipe, undoing: number, to: other, decisions, step, trace) { return race }
            }
        }
        return nil
    }

    /// The race that another decision would decide otherwise; `nil` where the run fails then, too.
    private func race(
        _ recipe: Recipe,
        undoing number: Int,
        to index: Int,
        _ decisions: [Decision],
        _ step: Int,
        _ trace: Trace
    ) -> Race? {
        var other = recipe
        other.strategy = .fifo
        other.preemptions = nil
        other.decisions =
            decisions[..<number].map { Decision(index: $0.index) } + [Decision(index: UInt32(index))]
        let passing = run(other, recording: .decisions)
        guard passing.failure == nil, let taken = passing.recorded?.decisions, taken.indices.contains(number)
        else {
            return nil
        }
        let overtaken = Int(taken[number].task), overtaking = trace.steps[step].task
        guard overtaken != 0, overtaken != overtaking else { return nil }
        return Race(trace, early: overtaking, late: overtaken, decided: step)
    }
}

extension Race {
    /// - Parameter decided: The index of the step that ran instead of one of the late task.
    init?(_ trace: Trace, early: Int, late: Int, decided: Int) {
        let steps = trace.steps
        let next = steps[decided...].firstIndex { $0.task == late }
        let before = steps[..<decided].lastIndex { $0.task == late }
        guard let lateStep = next ?? before else { return nil }
        // What the late task meets on its actor.
        let actor = steps[lateStep].actor
        let between = decided..<(next ?? steps.count)
        let met = between.last { actor != 0 && steps[$0].actor == actor && steps[$0].task != late }
        let earlyStep = met ?? decided
        func side(_ step: Int, goesOn: Bool = true) -> Side {
            let place = trace.places[steps[step].place]
            return Side(
                task: steps[step].task,
                step: goesOn ? step + 1 : 0,
                place: place,
                source: SourceLines.line(place.line, of: place.file)
            )
        }
        self.init(
            late: side(lateStep, goesOn: next != nil),
            early: side(earlyStep),
            actor: met == nil ? "" : trace.actors[actor],
            decided: decided + 1
        )
        if self.late.place == .none, self.early.place == .none { return nil }
    }
}

extension Race: CustomStringConvertible {
    /// Where the early task goes on, and where the late one does, with their source; a line each.
    public var description: String {
        func line(_ side: Side) -> String {
            let name = side.place.name.isEmpty ? side.place.function : side.place.name
            return side.source.isEmpty ? name : "\(name)  \(side.source)"
        }
        let onActor = actor.isEmpty ? "" : ", both on the actor \(actor)"
        let end = late.step == 0 ? "which stays suspended at" : "which goes on at"
        return "\(line(early))\nbefore task \(late.task), \(end)\n\(line(late))\(onActor)"
    }
}
