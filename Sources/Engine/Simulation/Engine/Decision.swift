import CSimulation

/// One decision of the scheduler between several ready steps.
///
/// The index repeats a run exactly; the identity finds the nearest step when the code has changed a little.
public struct Decision: Sendable, Hashable, Codable {
    /// Which of the ready steps was taken, from 0, the one that has waited longest.
    public var index: UInt32
    /// The number of its task; 0 when the step is no task's own.
    public var task: UInt32
    /// The number of its node.
    public var node: UInt32
    /// What ran; `nil` when only the index counts.
    public var kind: StepKind?

    /// Makes a decision by index alone, or with the identity of the step.
    public init(index: UInt32, task: UInt32 = 0, node: UInt32 = 0, kind: StepKind? = nil) {
        self.index = index
        self.task = task
        self.node = node
        self.kind = kind
    }

    /// Reads `[index]` or `[index, task, node, kind]`.
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        self.init(index: try values.decode(UInt32.self))
        if values.isAtEnd { return }
        task = try values.decode(UInt32.self)
        node = try values.decode(UInt32.self)
        kind = try values.decode(StepKind.self)
    }

    /// Writes numbers only, since there may be thousands of decisions.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(index)
        guard let kind else { return }
        try values.encode(task)
        try values.encode(node)
        try values.encode(kind)
    }
}

/// What a step of the scheduler runs.
public enum StepKind: UInt8, Sendable, Hashable, Codable {
    /// A task, up to its next suspension or hop.
    case task = 0
    /// What has queued up on one actor.
    case actor = 1
    /// One job of the main actor.
    case mainActor = 2
    /// An event of the simulated world.
    case event = 3
}

/// Where a replay first had to leave the recorded decisions.
public struct Departure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of the decision, from 0.
    public var decision: Int
    /// Steps before it.
    public var step: Int
    /// What was recorded.
    public var wanted: Decision
    /// What was ready and taken instead.
    public var taken: Decision

    /// One line for people.
    public var description: String {
        "decision \(decision) at step \(step): task \(wanted.task) was recorded and is not ready; task \(taken.task) was taken"
    }
}

extension Decision {
    var raw: csim_choice {
        csim_choice(
            index: index,
            task: task,
            node: node,
            kind: kind?.rawValue ?? UInt8(CSIM_ANY),
            stays: false,
            after: 0,
            after_steps: 0
        )
    }

    init(_ choice: csim_choice) {
        self.init(
            index: choice.index,
            task: choice.task,
            node: choice.node,
            kind: StepKind(rawValue: choice.kind)
        )
    }
}
