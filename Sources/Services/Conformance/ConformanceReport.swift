/// How an implementation did in a suite, case by case and by group.
///
/// The group of a case is its identifier up to the first dot: `session` of `session.resumption`.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
    /// How one case ended: passed, skipped with its reason, or failed with what was seen.
    public typealias Result = Swift.Result<ConformanceOutcome, ConformanceFailure>

    /// One case.
    public struct Entry: Sendable, Hashable {
        /// The identifier of the case.
        public let id: String
        /// The requirement as a sentence.
        public let requirement: String
        /// How it ended.
        public let result: Result

        /// Its group.
        public var group: String { String(id.prefix { $0 != "." }) }
    }

    /// How a group of cases did.
    public struct Grade: Sendable, Hashable {
        /// The group.
        public let group: String
        /// Cases that passed.
        public var passed = 0
        /// Cases that failed.
        public var failed = 0
        /// Cases that were skipped.
        public var skipped = 0

        /// `fails` where something has failed, `passes` where something has passed, `skipped` otherwise.
        public var verdict: String { failed > 0 ? "fails" : passed > 0 ? "passes" : "skipped" }
    }

    /// The cases, in the order in which they ran.
    public internal(set) var entries: [Entry] = []

    /// Makes a report of nothing.
    public init() {}

    /// A grade for each group, in the order of their first cases.
    public var grades: [Grade] {
        entries.reduce(into: []) { grades, entry in
            let index = grades.firstIndex { $0.group == entry.group } ?? grades.endIndex
            if index == grades.endIndex { grades.append(Grade(group: entry.group)) }
            switch entry.result {
            case .success(.passed): grades[index].passed += 1
            case .success(.skipped): grades[index].skipped += 1
            case .failure: grades[index].failed += 1
            }
        }
    }

    /// A table of the grades, and a line for each case that has not passed.
    public var description: String {
        let rows =
            [["group", "verdict", "passed", "failed", "skipped"]]
            + grades.map { [$0.group, $0.verdict, "\($0.passed)", "\($0.failed)", "\($0.skipped)"] }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let table = rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + space : space + cell.0
            }
            .joined(separator: "  ")
        }
        let remarks = entries.compactMap { entry -> String? in
            switch entry.result {
            case .success(.passed): nil
            case .success(.skipped(let reason)): "\(entry.id) was skipped: \(reason)"
            case .failure(let failure): "\(entry.id): \(failure)"
            }
        }
        return (table + (remarks.isEmpty ? [] : [""] + remarks)).joined(separator: "\n")
    }
}
