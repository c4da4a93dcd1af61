import Foundation
import Simulation

/// The process of a run has ended before the run had: by a signal, as at a failed precondition, or by `exit`.
enum UnexpectedEnd: NamedFailure, CustomStringConvertible {
    case crash(signal: Int32)
    case exit(code: Int32)

    /// What a process exits with after its result; seldom chosen by programs.
    static let expectedCode: Int32 = 113

    /// - Parameter status: As `waitpid` gives it; `nil` when the run came to its end.
    init?(_ status: Int32) {
        // WIFSIGNALED, WTERMSIG and WEXITSTATUS of <sys/wait.h>, which are macros.
        let signal = status & 0x7f
        let code = (status >> 8) & 0xff
        if signal != 0, signal != 0x7f {
            self = .crash(signal: signal)
        } else if code != Self.expectedCode {
            self = .exit(code: code)
        } else {
            return nil
        }
    }

    var failureName: String {
        switch self {
        case .crash(let signal): "crash \(signal)"
        case .exit(let code): "exit \(code)"
        }
    }

    var description: String {
        switch self {
        case .crash(SIGKILL): "the process was ended from outside, as one that hangs or takes too much memory"
        case .crash(let signal): "the process crashed: \(unsafe String(cString: strsignal(signal)))"
        case .exit(let code): "the program ended its process, with the code \(code)"
        }
    }
}

/// A step of a run has not ended, and the watchdog has ended its process.
struct Hang: NamedFailure, CustomStringConvertible {
    private let step: HungStep

    init(_ step: HungStep) { self.step = step }

    /// The function in which the step began: where in it the run happened to be found differs.
    var failureName: String { "hang: " + (step.places.last?.function ?? "somewhere") }

    var description: String {
        let places = step.places.prefix(6).map { "\n  at \($0)" }.joined()
        return "one step has not ended for \(step.waited / .seconds(1)) s (\(step.position))\(places)"
    }
}
