import Simulation

/// How a run failed.
public struct Failure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What kind of failure, without what differs between runs: equal for runs that show the same bug.
    public var fingerprint: String
    /// What happened.
    public var message: String
    /// How the run ended, if not by an error that the program threw or the engine found.
    public var ending: Ending?
    /// The first call by which the program tried to leave the simulation, with its place; `nil` where there was none.
    public var escape: String?

    /// Whether the run ended its process.
    public var endsProcess: Bool {
        switch ending {
        case .crash, .exit, .hang: true
        case .stepLimit, .timeLimit, .refusal, nil: false
        }
    }

    /// Whether each run that fails so takes seconds: it is run no more often than it must be.
    package var takesLong: Bool { ending == .hang || ending == .stepLimit }

    /// How a run ends.
    public enum Ending: String, Sendable, Hashable, Codable {
        /// By a signal, as at a failed precondition.
        case crash
        /// By a call of `exit`.
        case exit
        /// By the watchdog, since a step did not end.
        case hang
        /// At the limit of steps, which takes seconds.
        case stepLimit
        /// At the limit of virtual time.
        case timeLimit
        /// It could not be made as it was asked for; see ``RunRefusal``.
        case refusal
    }

    /// What happened.
    public var description: String { message }

    /// Reads an error that a run has thrown.
    public init(_ error: any Error) {
        message = "\(error)"
        escape =
            switch error {
            case let error as SimulationError: error.firstEscape
            case let end as UnexpectedEnd: end.escape?.call
            case let hang as Hang: hang.escape?.call
            default: nil
            }
        ending =
            switch error {
            case let end as UnexpectedEnd:
                switch end.kind {
                case .crash: .crash
                case .exit: .exit
                }
            case is Hang: .hang
            case SimulationError.stepLimit: .stepLimit
            case SimulationError.timeLimit: .timeLimit
            case is any RunRefusal: .refusal
            default: nil
            }
        fingerprint =
            switch error {
            case let violation as PropertyViolation: "\(violation.kind.rawValue): \(violation.property)"
            case let error as SimulationError: Self.name(of: error)
            case let named as any NamedFailure: named.failureName
            default: Self.withoutNumbers("\(type(of: error)): \(error)")
            }
    }

    /// The code, and who waits or what was called: sorted, each once, so that it does not depend on the order of steps.
    ///
    /// Who has not ended at a limit is left out, since that is often a matter of the moment.
    private static func name(of error: SimulationError) -> String {
        let parts: [String] =
            switch error {
            case .stuck(let report), .leftovers(let report): report.waiting.map(Self.name)
            case .escaped(let escapes, _, _): escapes.map(\.function)
            case .blocked(let report): report.escapes.suffix(1).map(\.function)
            case .diverged, .stepLimit, .timeLimit, .waitLimit, .nested, .usedUp, .outsideUnavailable: []
            }
        return parts.isEmpty ? error.code : "\(error.code): \(Set(parts).sorted().joined(separator: ", "))"
    }

    /// Its name, or else the place where it was spawned.
    private static func name(of task: TaskReport) -> String {
        withoutNumbers(task.name ?? task.spawnedAt.first?.description ?? "a task")
    }

    /// Numbers are what differs between runs of one bug.
    private static func withoutNumbers(_ text: String) -> String {
        var result = ""
        for character in text where !(character.isNumber && result.last == "#") {
            result.append(character.isNumber ? "#" : character)
        }
        return String(result.prefix(160))
    }
}

/// An error that says by what name its failures are the same.
public protocol NamedFailure: Error {
    /// The same for each run that shows the same bug.
    var failureName: String { get }
}

/// An error that says that a run cannot be made as it was asked for, which is no failure of the program.
public protocol RunRefusal: Error {}
