import Conformance

/// How an implementation did in a suite, as it is kept in files.
struct ValidationResult: Codable {
    /// How a case ended.
    enum Outcome: String, Codable {
        case passed, skipped, failed
    }

    struct Case: Codable {
        /// Its group, a dot, and its point.
        var id: String
        /// The requirement as a sentence.
        var requirement: String
        var result: Outcome
        /// Why it was skipped, or what was seen.
        var reason: String?
    }

    /// What the suite tries, such as `chat model`.
    var suite: String
    /// What was tried.
    var implementation: String
    /// Why nothing was tried; left out otherwise.
    var skipped: String?
    /// Why it has no results, or not all; left out otherwise.
    var error: String?
    var cases: [Case]

    init(
        _ suite: String,
        of implementation: String,
        _ report: ConformanceReport,
        skipped: String? = nil,
        error: String? = nil
    ) {
        (self.suite, self.implementation, self.skipped, self.error) = (suite, implementation, skipped, error)
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
    func count(_ result: Outcome) -> Int { cases.count { $0.result == result } }
}
