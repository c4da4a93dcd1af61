public import Simulation

/// Where two traces diverge.
public struct TraceDifference: Sendable, Hashable, CustomStringConvertible {
    /// What one of the two did there.
    public enum Side: Sendable, Hashable, CustomStringConvertible {
        /// It had ended.
        case nothing
        /// A step, in words.
        case step(String)
        /// An event, in words.
        case event(String)

        /// In words.
        public var description: String {
            switch self {
            case .nothing: "had ended"
            case .step(let text), .event(let text): text
            }
        }
    }

    /// Number of the step at which they part, from 1; 0 when an event before the first step differs.
    public var step: Int
    /// Virtual time of it, in nanoseconds.
    public var nanoseconds: Int64
    /// What the first trace did.
    public var first: Side
    /// What the second trace did.
    public var second: Side
    /// The last steps and events that both have, oldest first.
    public var before: [String]

    /// The report.
    public var description: String {
        let seconds = Double(nanoseconds) / 1e9
        return
            (["The runs diverge at step \(step), at \(seconds) s."]
            + (before.isEmpty ? [] : ["Before, in both:"] + before.map { "  \($0)" })
            + ["The first:", "  \(first)", "The second:", "  \(second)"]).joined(separator: "\n")
    }

    /// Compares two traces; `nil` when they are the same.
    ///
    /// What is compared is what happened: steps by time, node, task, kind and choice, and events. Names of tasks and the
    /// places where they were made are not, so that a trace can be compared with that of changed code.
    public init?(_ first: Trace, _ second: Trace) {
        let steps = Self.firstDifference(first.steps.map(Moment.init), second.steps.map(Moment.init))
        let events = Self.firstDifference(first.events, second.events)
        // An event of step n comes after the step itself.
        let eventStep = events.map { index in
            [first.events, second.events].compactMap { $0.indices.contains(index) ? $0[index].step : nil }
                .min() ?? 0
        }
        let (left, right) = (Words(first), Words(second))
        if let steps, eventStep.map({ $0 > steps }) ?? true {
            self.init(left.step(steps), right.step(steps), at: steps + 1, left, right)
        } else if let events, let eventStep {
            self.init(left.event(events), right.event(events), at: eventStep, left, right)
            if let time = [first.events, second.events].compactMap({
                $0.indices.contains(events) ? $0[events].nanoseconds : nil
            }).min() {
                nanoseconds = time
            }
        } else {
            return nil
        }
    }

    private init(_ first: Side, _ second: Side, at step: Int, _ left: Words, _ right: Words) {
        self.step = step
        self.first = first
        self.second = second
        let times = [left.trace.steps, right.trace.steps]
            .compactMap { $0.indices.contains(step - 1) ? $0[step - 1].nanoseconds : nil }
        nanoseconds = times.min() ?? left.trace.steps.last?.nanoseconds ?? 0
        before = left.before(step)
    }

    private static func firstDifference<Element: Equatable>(_ first: [Element], _ second: [Element]) -> Int? {
        let common = min(first.count, second.count)
        if let index = (0..<common).first(where: { first[$0] != second[$0] }) { return index }
        return first.count == second.count ? nil : common
    }

    /// What is compared of a step.
    private struct Moment: Equatable {
        var nanoseconds: Int64
        var node, task, choice, ready: Int
        var kind: StepKind

        init(_ step: Trace.Step) {
            nanoseconds = step.nanoseconds
            node = step.node
            task = step.task
            choice = step.choice
            ready = step.ready
            kind = step.kind
        }
    }

    /// Puts a trace into words.
    private struct Words {
        let trace: Trace

        init(_ trace: Trace) { self.trace = trace }

        func step(_ index: Int) -> Side {
            guard trace.steps.indices.contains(index) else { return .nothing }
            let step = trace.steps[index]
            let node = trace.nodes.indices.contains(step.node) ? trace.nodes[step.node] : "node \(step.node)"
            let task = trace.tasks.first { $0.id == step.task }
            let name = task.map { $0.name.isEmpty ? "" : " “\($0.name)”" } ?? ""
            let place = task.map { $0.place.isEmpty ? "" : ", spawned at \($0.place)" } ?? ""
            let who = step.task == 0 ? "an event of the world" : "task \(step.task)\(name)\(place)"
            let choice = step.ready > 1 ? ", \(step.choice + 1) of \(step.ready) runnable" : ""
            return .step("step \(index + 1), \(Double(step.nanoseconds) / 1e9) s: \(who) on \(node)\(choice)")
        }

        func event(_ index: Int) -> Side {
            guard trace.events.indices.contains(index) else { return .nothing }
            let event = trace.events[index]
            return .event(
                "after step \(event.step), \(Double(event.nanoseconds) / 1e9) s: \(event.kind) \(event.detail) on "
                    + event.node
            )
        }

        func before(_ step: Int) -> [String] {
            let steps = max(0, step - 4)..<max(0, step - 1)
            return steps.filter(trace.steps.indices.contains).map { "\(self.step($0))" }
        }
    }
}
