/// Why a simulation did not reach its end.
public enum SimulationError: Error, Sendable, CustomStringConvertible {
    /// A deadlock: tasks are suspended, and nothing will ever resume them.
    case stuck(StuckReport)
    /// Tasks do not end, although the body has ended and they are cancelled.
    case leftovers(StuckReport)
    /// The program tried to leave the simulation.
    ///
    /// `failure` says how the run has failed beside that; `nil` where it has not.
    case escaped([Escape], position: Position, failure: String?)
    /// The code blocks its thread until something happens that cannot happen; the last escape says how.
    case blocked(StuckReport)
    /// Two runs of one seed were not the same.
    case diverged(Divergence, seed: UInt64)
    /// More steps than allowed: probably a loop that never sleeps.
    case stepLimit(StuckReport)
    /// More virtual time than allowed: probably a loop that sleeps forever.
    case timeLimit(StuckReport)
    /// The body has waited too long, while other tasks went on.
    case waitLimit(StuckReport, limit: Duration)
    /// A simulation was started inside another one on the same thread.
    case nested
    /// A simulation was started that has run already.
    case usedUp
    /// ``Simulation/outside(_:)`` was called where real time does not pass.
    case outsideUnavailable

    /// The name of the case: stable, for programs.
    public var code: String {
        switch self {
        case .stuck: "stuck"
        case .leftovers: "leftovers"
        case .escaped: "escaped"
        case .blocked: "blocked"
        case .waitLimit: "waitLimit"
        case .diverged: "diverged"
        case .stepLimit: "stepLimit"
        case .timeLimit: "timeLimit"
        case .nested: "nested"
        case .usedUp: "usedUp"
        case .outsideUnavailable: "outsideUnavailable"
        }
    }

    /// What the program did first that no simulation can hold, with its place; `nil` where it did nothing of the kind.
    package var firstEscape: String? {
        switch self {
        case .escaped(let escapes, _, _): escapes.first { !$0.isDeadlock }?.call
        case .stuck(let report), .leftovers(let report), .blocked(let report), .stepLimit(let report),
            .timeLimit(let report), .waitLimit(let report, _):
            report.escapes.first { !$0.isDeadlock }?.call
        case .diverged, .nested, .usedUp, .outsideUnavailable: nil
        }
    }

    /// What happened, where, and what to do.
    public var description: String {
        switch self {
        case .stuck(let report): report.description
        case .leftovers(let report):
            "the body has ended, and tasks that it left have not, although they are cancelled (\(report.position)):\n"
                + report.tasks
        case .escaped(let escapes, let position, let failure):
            "the program escaped the simulation (\(position)):\n"
                + escapes.map { "  \($0)" }.joined(separator: "\n")
                + (failure.map { "\nand then failed: \($0)" } ?? "")
        case .blocked(let report):
            report.blocked
        case .waitLimit(let report, let limit):
            "the test has waited for \(limit.seconds) of virtual time (\(report.position)) while other tasks went on. "
                + "Raise maximumWait if that is right.\n" + report.tasks
        case .diverged(let divergence, let seed): "seed \(seed) is not deterministic: \(divergence)"
        case .stepLimit(let report):
            "step limit reached (\(report.position)): a loop probably never ends, or never sleeps. "
                + "If the run is right, raise Configuration.maximumSteps.\n" + report.tasks
        case .timeLimit(let report):
            "too much virtual time (\(report.position)): does a loop sleep forever? Raise maximumTime if it is right.\n"
                + report.tasks
        case .nested: "a simulation cannot run inside another one on the same thread"
        case .usedUp: "a simulation runs once, and this one has run already: make another one for each run"
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

/// Which tasks are suspended in a simulation that cannot go on.
public struct StuckReport: Sendable, Hashable, CustomStringConvertible {
    /// How far the run came.
    public var position: Position
    /// Every task that has not completed, newest first.
    public var waiting: [TaskReport]
    /// What tried to leave the simulation, which is often the cause.
    public var escapes: [Escape]

    /// What the program did that is often the cause, and a list of the tasks.
    public var description: String {
        "deadlock: no runnable task (\(position))\n" + escapeList
            + "\(Self.count(waiting, "task is", "tasks are")) suspended:\n" + list
    }

    /// The list of a run that went on and on, in which some tasks are suspended and some are not.
    var tasks: String { escapeList + "\(Self.count(waiting, "task has", "tasks have")) not ended:\n" + list }

    /// The wait that cannot end, which is the last escape, or those of all threads; and the list of tasks.
    var blocked: String {
        var before = self
        let threads = escapes.filter(\.isFinal)
        guard threads.isEmpty else {
            before.escapes.removeAll(where: \.isFinal)
            let head = Self.count(threads, "thread waits", "threads wait")
            return "nobody can go on, and \(head) (\(position)):\n" + threads.map { "  \($0)\n" }.joined()
                + before.tasks
        }
        let wait = before.escapes.popLast().map { "  \($0)\n" } ?? ""
        return "the thread is blocked by a wait that cannot end (\(position)):\n" + wait + before.tasks
    }

    private static func count(_ all: [some Any], _ one: String, _ many: String) -> String {
        "\(all.count) \(all.count == 1 ? one : many)"
    }

    private var list: String {
        let most = 20
        var lines = waiting.prefix(most).map { "  \($0)" }
        if waiting.count > most { lines.append("  … and \(waiting.count - most) more") }
        return lines.joined(separator: "\n")
    }

    private var escapeList: String {
        guard !escapes.isEmpty else { return "" }
        return "the program escaped the simulation before:\n" + escapes.map { "  \($0)\n" }.joined()
    }
}
