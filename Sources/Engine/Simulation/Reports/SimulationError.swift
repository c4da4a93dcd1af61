/// Why a simulation did not reach its end.
public enum SimulationError: Error, Sendable, CustomStringConvertible {
    /// Tasks wait, and nothing will ever wake them.
    case stuck(StuckReport)
    /// Tasks do not end, although the body has ended and they are cancelled.
    case leftovers(StuckReport)
    /// The program tried to leave the simulation.
    case escaped([Escape], position: Position)
    /// Two runs of one seed were not the same.
    case diverged(Divergence, seed: UInt64)
    /// More steps than allowed: probably a loop that never sleeps.
    case stepLimit(StuckReport)
    /// More virtual time than allowed: probably a loop that sleeps for ever.
    case timeLimit(StuckReport)
    /// A simulation was started inside another one on the same thread.
    case nested
    /// ``Simulation/outside(_:)`` was called where real time does not pass.
    case outsideUnavailable

    /// The name of the case: stable, for programs.
    public var code: String {
        switch self {
        case .stuck: "stuck"
        case .leftovers: "leftovers"
        case .escaped: "escaped"
        case .diverged: "diverged"
        case .stepLimit: "stepLimit"
        case .timeLimit: "timeLimit"
        case .nested: "nested"
        case .outsideUnavailable: "outsideUnavailable"
        }
    }

    /// What happened, where, and what to do.
    public var description: String {
        switch self {
        case .stuck(let report): report.description
        case .leftovers(let report): "the body has ended, and what it left does not: \(report)"
        case .escaped(let escapes, let position):
            "the program left the simulation (\(position)):\n"
                + escapes.map { "  \($0)" }.joined(separator: "\n")
        case .diverged(let divergence, let seed): "seed \(seed) is not deterministic: \(divergence)"
        case .stepLimit(let report):
            "step limit reached (\(report.position)): a loop probably never ends, or never sleeps. "
                + "If the run is right, raise Configuration.maximumSteps.\n" + report.tasks
        case .timeLimit(let report):
            "too much virtual time (\(report.position)): does a loop sleep for ever? Raise maximumTime if it is right.\n"
                + report.tasks
        case .nested: "a simulation cannot run inside another one on the same thread"
        case .outsideUnavailable:
            "Simulation.outside needs real time: run the simulation with pace .real, or use simulated services"
        }
    }
}

/// How far a run has come.
public struct Position: Sendable, Hashable, CustomStringConvertible {
    /// The seed of the run.
    public var seed: UInt64
    /// Steps so far.
    public var step: Int
    /// Virtual time since the start.
    public var time: Duration

    /// One line for people.
    public var description: String { "seed \(seed) · virtual \(time.seconds) · step \(step)" }
}

/// Which tasks wait in a simulation that cannot go on.
public struct StuckReport: Sendable, Hashable, CustomStringConvertible {
    /// How far the run came.
    public var position: Position
    /// Every task that has not completed, newest first.
    public var waiting: [TaskReport]
    /// What tried to leave the simulation, which is often the cause.
    public var escapes: [Escape]

    /// A list of the tasks.
    public var description: String {
        "nothing can run any more (\(position)), and \(waiting.count) tasks wait:\n" + list
    }

    /// The list of a run that went on and on, in which some wait and some do not.
    var tasks: String { "\(waiting.count) tasks have not ended:\n" + list }

    private var list: String {
        var lines = waiting.prefix(20).map { "  \($0)" }
        if waiting.count > 20 { lines.append("  … and \(waiting.count - 20) more") }
        if !escapes.isEmpty {
            lines.append("the program left the simulation before:")
            lines += escapes.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
