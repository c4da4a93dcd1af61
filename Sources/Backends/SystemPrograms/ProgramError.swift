/// Why a program of the system has not done what it was asked.
public struct ProgramError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Hashable {
        /// It is not installed.
        case missing
        /// The system did not start it.
        case notStarted
        /// It ended with this status instead of 0.
        case failed(status: Int)
        /// It was ended by this signal, and not by us.
        case killed(signal: Int)
        /// It went on for longer than it may, and was ended.
        case tooSlow
        /// It wrote more than it may, and was ended.
        case tooMuchOutput
        /// It succeeded, and what it wrote is not what was asked for.
        case unusableOutput
        /// It was asked for more than it may be.
        case tooMuchInput
        /// The calling task was cancelled, and the program was ended.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// The program's name, or its path where one was asked for.
    public var program: String
    /// What happened, such as the end of what it wrote to its standard error, or what to install; may be empty.
    public var detail: String

    /// Makes an error.
    public init(_ code: Code, of program: String, detail: String = "") {
        self.code = code
        self.program = program
        self.detail = detail
    }

    /// What was tried, what came back, and what to do.
    public var description: String {
        let words =
            switch code {
            case .missing: "there is no \(program) on this machine"
            case .notStarted: "\(program) could not be started"
            case .failed(let status): "\(program) failed with status \(status)"
            case .killed(let signal): "\(program) was ended by signal \(signal)"
            case .tooSlow: "\(program) took too long, and was ended"
            case .tooMuchOutput: "\(program) wrote too much, and was ended"
            case .unusableOutput: "\(program) wrote what cannot be used"
            case .tooMuchInput: "\(program) was asked for too much"
            case .cancelled: "\(program) was ended before it was done"
            }
        return detail.isEmpty ? words : "\(words): \(detail)"
    }
}
