import CSimulation

/// A preemption in ``Schedule/runUntilBlocked(_:)``: when one task has run some number of steps, another is resumed.
///
/// It depends on nothing that other tasks do, so that it means the same when other preemptions are left out.
public struct Preemption: Sendable, Hashable, Codable {
    /// The task or step that is resumed.
    public enum Target: Sendable, Hashable, Codable {
        /// The task of that number.
        case task(Int)
        /// The oldest step of that kind on the node of that number, which is no task's own.
        case step(StepKind, node: Int)
    }

    /// The number of the task that ran; 0 stands for all steps that are no task's own.
    public var after: Int
    /// How many steps it has run.
    public var steps: Int
    /// The task or step that is resumed.
    public var target: Target

    /// Makes a preemption.
    public init(after: Int, steps: Int, to target: Target) {
        self.after = after
        self.steps = steps
        self.target = target
    }

    /// A recorded choice that departs; `nil` for those that do not.
    init?(_ choice: csim_choice) {
        guard !choice.stays else { return nil }
        let kind = StepKind(rawValue: choice.kind) ?? .event
        self.init(
            after: Int(choice.after),
            steps: Int(choice.after_steps),
            to: choice.task == 0 ? .step(kind, node: Int(choice.node)) : .task(Int(choice.task))
        )
    }

    var raw: csim_switch {
        var raw = csim_switch()
        raw.after = UInt32(clamping: after)
        raw.after_steps = UInt32(clamping: steps)
        switch target {
        case .task(let task): raw.task = UInt32(clamping: task)
        case .step(let kind, let node):
            raw.kind = kind.rawValue
            raw.node = UInt32(clamping: node)
        }
        return raw
    }
}

extension Preemption: CustomStringConvertible {
    private static let letters: [StepKind: String] = [.task: "t", .actor: "a", .mainActor: "m", .event: "e"]

    /// Such as `3.5:4`, when task 3 has run five steps task 4 is resumed, or `0.2:m1` with the main actor of node 1.
    public var description: String {
        switch target {
        case .task(let task): "\(after).\(steps):\(task)"
        case .step(let kind, let node): "\(after).\(steps):\(Self.letters[kind] ?? "")\(node)"
        }
    }

    /// Reads what ``description`` writes.
    init?(_ text: Substring) {
        let numbers = text.split(separator: ":").flatMap { $0.split(separator: ".") }
        guard numbers.count == 3, text.contains("."), let after = Int(numbers[0]),
            let steps = Int(numbers[1]),
            after >= 0, steps >= 0
        else { return nil }
        if let task = Int(numbers[2]), task > 0 {
            self.init(after: after, steps: steps, to: .task(task))
        } else if let kind = Self.letters.first(where: { $0.value == numbers[2].prefix(1) })?.key,
            let node = Int(numbers[2].dropFirst()), node >= 0
        {
            self.init(after: after, steps: steps, to: .step(kind, node: node))
        } else {
            return nil
        }
    }
}
