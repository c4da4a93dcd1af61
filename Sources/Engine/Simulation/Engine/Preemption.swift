import CSimulation

/// A preemption in ``Schedule/runUntilBlocked(_:)``: when one task has run some number of steps, another is resumed.
///
/// It depends on nothing that other tasks do, so that it means the same when other preemptions are left out.
public struct Preemption: Sendable, Hashable, Codable {
    /// The task or step that is resumed.
    public enum Target: Sendable, Hashable, Codable {
        /// That task.
        case task(TaskID)
        /// The oldest step of that kind on the node of that number, which is no task's own.
        case step(StepKind, node: Int)
    }

    /// The task that ran.
    public var after: TaskID
    /// How many steps it has run.
    public var steps: Int
    /// The task or step that is resumed.
    public var target: Target

    /// Makes a preemption.
    public init(after: TaskID, steps: Int, to target: Target) {
        self.after = after
        self.steps = steps
        self.target = target
    }

    /// A recorded choice that departs; `nil` for those that do not.
    init?(_ choice: csim_choice) {
        guard !choice.stays else { return nil }
        let kind = StepKind(rawValue: choice.kind) ?? .event
        self.init(
            after: .number(Int(choice.after)),
            steps: Int(choice.after_steps),
            to: choice.task == 0 ? .step(kind, node: Int(choice.node)) : .task(.number(Int(choice.task)))
        )
    }

    func raw(_ names: inout TaskNames) -> csim_preemption {
        var raw = csim_preemption()
        raw.after = names.number(of: after)
        raw.after_steps = UInt32(clamping: steps)
        switch target {
        case .task(let task): raw.task = names.number(of: task)
        case .step(let kind, let node):
            raw.kind = kind.rawValue
            raw.node = UInt32(clamping: node)
        }
        return raw
    }

    init(_ raw: csim_preemption, _ names: TaskNames) {
        let target: Target =
            raw.task == 0
            ? .step(StepKind(rawValue: raw.kind) ?? .event, node: Int(raw.node))
            : .task(names.name(of: raw.task))
        self.init(after: names.name(of: raw.after), steps: Int(raw.after_steps), to: target)
    }
}

extension Preemption: CustomStringConvertible {
    private static let letters: [StepKind: String] = [.task: "t", .actor: "a", .mainActor: "m", .event: "e"]

    /// Such as `3.5:4`, when task 3 has run five steps task 4 is resumed, `0.2:m1` with the main actor of node 1, or
    /// `deposit#1.5:withdraw#2` with names of tasks.
    public var description: String {
        switch target {
        case .task(let task): "\(after).\(steps):\(task)"
        case .step(let kind, let node): "\(after).\(steps):\(Self.letters[kind] ?? "")\(node)"
        }
    }

    /// Reads what ``description`` writes.
    init?(_ text: Substring) {
        guard let colon = text.lastIndex(of: ":"), let dot = text[..<colon].lastIndex(of: "."),
            let after = TaskID(text[..<dot]), let steps = Int(text[..<colon][text.index(after: dot)...]),
            steps >= 0
        else { return nil }
        let target = text[text.index(after: colon)...]
        if let task = TaskID(target), task != 0 {
            self.init(after: after, steps: steps, to: .task(task))
        } else if let kind = Self.letters.first(where: { $0.value == target.prefix(1) })?.key,
            let node = Int(target.dropFirst()), node >= 0
        {
            self.init(after: after, steps: steps, to: .step(kind, node: node))
        } else {
            return nil
        }
    }
}
