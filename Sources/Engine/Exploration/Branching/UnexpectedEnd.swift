import CSimulation
import Foundation
import Simulation

/// The process of a run has ended before the run had: by a signal, as at a failed precondition, or by `exit`.
package struct UnexpectedEnd: NamedFailure, CustomStringConvertible {
    enum Kind {
        case crash(signal: Int32)
        case exit(code: Int32)
    }

    /// What a process exits with after its result; seldom chosen by programs.
    static let expectedCode: Int32 = 113

    var kind: Kind
    /// When it was; `nil` where the process could not say so.
    var position: Position?
    /// In whose step it was; see ``HungStep/runner``.
    private var runner: String?
    /// Where it was, innermost first, without frames of the engine and the runtime.
    var places: [SourceFrame] = []
    /// What it had of the memory that it may have, in MiB, where that was much.
    private var memory: (had: Int64, limit: Int64)?
    /// What the run had called before that no simulation can hold.
    var escape: Escape?

    /// - Parameter status: As `waitpid` gives it; `nil` when the run came to its end.
    package init?(_ status: Int32) {
        // WIFSIGNALED, WTERMSIG and WEXITSTATUS of <sys/wait.h>, which are macros.
        let signal = status & 0x7f
        let code = (status >> 8) & 0xff
        if signal != 0, signal != 0x7f {
            kind = .crash(signal: signal)
        } else if code != Self.expectedCode {
            kind = .exit(code: code)
        } else {
            return nil
        }
    }

    /// Reads what the process itself has found; `signal` is 0 where it called a function that ends it.
    @unsafe init(signal: Int32, code: Int32, _ place: HungStep) {
        kind = signal == 0 ? .exit(code: code) : .crash(signal: signal)
        position = place.position
        runner = place.runner
        places = place.places
        escape = place.escape
        let first = csim_first_memory()
        let (had, limit) = ((csim_private_bytes() - first) >> 20, (csim_memory_limit() - first) >> 20)
        // An array that grows asks for twice what it has, and has that as well meanwhile.
        if limit > 0, had > limit / 4 { memory = (had, limit) }
    }

    /// How it ended, and in which function.
    package var failureName: String {
        let place = places.first.map { ": \($0.function)" } ?? ""
        return switch kind {
        case .crash(let signal): "crash \(signal)\(place)"
        case .exit(let code): "exit \(code)\(place)"
        }
    }

    package var description: String {
        let what =
            switch kind {
            case .crash(SIGKILL):
                "the process was ended from outside"
            case .crash(let signal): "the process crashed: \(unsafe String(cString: strsignal(signal)))"
            case .exit(let code): "the program ended its process, with the code \(code)"
            }
        let memory =
            memory.map {
                ". It had \($0.had) of the \($0.limit) MiB of memory that a run may have: "
                    + "LENSSIM_MEMORY=\(2 * $0.limit) lets it have more"
            } ?? ""
        let place = (position.map { " (\($0))" } ?? "") + (runner.map { " in \($0)" } ?? "")
        return what + place + memory
            + places.prefix(6).map { "\n  at \($0)" }.joined()
    }
}

/// A step of a run has not ended, and the watchdog has ended its process.
package struct Hang: NamedFailure, CustomStringConvertible {
    private let step: HungStep

    init(_ step: HungStep) { self.step = step }

    /// What the run had called before that no simulation can hold.
    var escape: Escape? { step.escape }

    /// The function in which the step began: where in it the run happened to be found differs.
    package var failureName: String { "hang: " + (step.places.last?.function ?? "somewhere") }

    package var description: String {
        let places = step.places.prefix(6).map { "\n  at \($0)" }.joined()
        let place = "(\(step.position))" + (step.runner.map { " in \($0)" } ?? "")
        return "one step has not ended for \(step.waited / .seconds(1)) s \(place)\(places)"
    }
}

/// The process of a run has ended as one does after its result, and there is none.
package struct LostResult: NamedFailure, CustomStringConvertible {
    package var failureName: String { "a result was lost" }
    package var description: String {
        "the process of the run ended without a result: it has closed what results are written to, or has ended itself by a call "
            + "of the kernel"
    }
}
