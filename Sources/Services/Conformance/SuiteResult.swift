/// How an implementation did in a suite, as a file that `lenssim matrix` reads.
///
/// ```swift
/// let result = SuiteResult(ChatModelConformance.suite.name, of: "my model", report)
/// try result.json().write(to: file)
/// ```
public struct SuiteResult: Codable, Sendable, Hashable {
    /// How a case ended.
    public enum Outcome: String, Codable, Sendable {
        /// The requirement is met.
        case passed
        /// It was not tried.
        case skipped
        /// It is not met.
        case failed
    }

    /// One case.
    public struct Case: Codable, Sendable, Hashable {
        /// Its group, a dot, and its point.
        public var id: String
        /// The requirement as a sentence.
        public var requirement: String
        /// How it ended.
        public var result: Outcome
        /// Why it was skipped, or what was seen; `nil` where it passed.
        public var reason: String?

        /// Makes one.
        public init(id: String, requirement: String, result: Outcome, reason: String? = nil) {
            (self.id, self.requirement, self.result, self.reason) = (id, requirement, result, reason)
        }

        /// Whether it passed, its identifier, and why where it did not.
        public var line: String { "\(result.rawValue) \(id)\(reason.map { ": \($0)" } ?? "")" }
    }

    /// The newest format of the file, which is written.
    public static let newestFormat = 1

    /// The format of the file; `nil` in those of before there were numbers, which are as the first.
    public var format: Int?
    /// What the suite tries, such as `chat model`.
    public var suite: String
    /// What was tried.
    public var implementation: String
    /// Why nothing was tried; `nil` otherwise.
    public var skipped: String?
    /// Why it has no results, or not all; `nil` otherwise.
    public var error: String?
    /// The cases, in the order of the suite.
    public var cases: [Case]
    /// How they compare with references; `nil` where there was none.
    public var drift: DriftCheck?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - suite: What the suite tries, as its ``Suite/name`` says.
    ///   - implementation: What was tried, as people call it.
    ///   - report: How its cases ended.
    ///   - skipped: Why nothing was tried.
    ///   - error: Why there are no results, or not all.
    public init(
        _ suite: String,
        of implementation: String,
        _ report: ConformanceReport,
        skipped: String? = nil,
        error: String? = nil
    ) {
        (self.suite, self.implementation, self.skipped, self.error) = (suite, implementation, skipped, error)
        format = Self.newestFormat
        cases = report.entries.map { entry in
            let (result, reason): (Outcome, String?) =
                switch entry.result {
                case .success(.passed): (.passed, nil)
                case .success(.skipped(let reason)): (.skipped, reason)
                case .failure(let failure): (.failed, "\(failure)")
                }
            return Case(id: entry.id, requirement: entry.requirement, result: result, reason: reason)
        }
    }

    /// How many cases ended so.
    public func count(_ result: Outcome) -> Int { cases.count { $0.result == result } }
}
