/// What came of one test of a program whose tests are all simulated.
package struct TestVerdict: Sendable, Hashable, Codable {
    /// What kind of outcome it is, the most urgent first.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// Some run fails, or the test itself where it is not asynchronous.
        case fails
        /// A run has called what would leave the simulation, so that nothing is known of the test.
        case refused
        /// Each seed passes in a process of its own, and fails after others in one process.
        case dependsOnStatics
        case passes
        /// It ran once, as it is.
        case notAsynchronous
        /// It wants to be skipped, as a test of XCTest may when it has begun.
        case skipped
    }

    /// The test as a filter names it.
    package var test: String
    package var kind: Kind
    /// How many runs there were, of all its cases.
    package var runs: Int
    /// In one line why it does not pass; for a refused test the call and its place in the source.
    package var cause: String?
    /// What the test library reports, and the output of the run that failed; empty unless it fails.
    package var report = ""

    package init(test: String, kind: Kind, runs: Int = 1, cause: String? = nil, report: String = "") {
        self.test = test
        self.kind = kind
        self.runs = runs
        self.cause = cause.map { String($0.prefix { !$0.isNewline }) }
        self.report = report
    }

    /// Reads what a search has found.
    ///
    /// A failure that is the test's own comes before a refusal under another seed.
    ///
    /// - Parameters:
    ///   - result: The search.
    ///   - problem: Why it could not be made.
    ///   - issue: What is reported first of failures, with its place; `nil` for what the failing run says.
    ///   - report: All that is reported of failures.
    package init(
        of result: SweepResult,
        test: String,
        problem: String?,
        issue: String? = nil,
        report: String
    ) {
        let failures = result.firstRuns.map(\.failure)
        let own = failures.first { $0.escape == nil }
        if problem != nil || own != nil || (failures.isEmpty && !report.isEmpty) {
            let cause = problem ?? issue ?? own?.message ?? report
            self.init(test: test, kind: .fails, runs: result.runs, cause: cause, report: report)
        } else if let refused = failures.first {
            self.init(test: test, kind: .refused, runs: result.runs, cause: refused.escape)
        } else if let statics = result.statics, statics.failure != nil {
            // The last ones first, of which often the very last is not the cause.
            let names = statics.initialised.prefix(3).joined(separator: ", ")
            let cause = names.isEmpty ? "what belongs to the process" : names
            self.init(test: test, kind: .dependsOnStatics, runs: result.runs, cause: cause)
        } else {
            self.init(test: test, kind: .passes, runs: result.runs)
        }
    }

    /// Adds another case of the same test: the most urgent outcome is that of both.
    mutating func add(_ other: Self) {
        let (mine, others) = (kind.rank, other.kind.rank)
        if others < mine {
            kind = other.kind
            cause = other.cause
        }
        runs += other.runs
        if !other.report.isEmpty { report += (report.isEmpty ? "" : "\n") + other.report }
    }
}

extension TestVerdict.Kind {
    /// The position in the order of urgency.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
