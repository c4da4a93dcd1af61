/// How an implementation did in a suite, case by case and by group.
///
/// The group of a case is its identifier up to the first dot: `session` of `session.resumption`.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
    /// How one case ended.
    public enum Result: Sendable, Hashable {
        case passed
        /// With the requirement that was not met, or the error that kept the case from being tried.
        case failed(String)
        /// The implementation, or its harness, lacks what the case needs; with the reason.
        case notAsked(String)
    }

    /// One case.
    public struct Entry: Sendable, Hashable {
        /// The identifier of the case.
        public let id: String
        /// How it ended.
        public let result: Result

        /// Its group.
        public var group: String { String(id.prefix { $0 != "." }) }
    }

    /// How a group of cases did.
    public struct Grade: Sendable, Hashable {
        /// What the numbers come to.
        public enum Verdict: String, Sendable, Hashable, CaseIterable {
            /// All that was asked has passed, and something was asked.
            case passes
            /// Something has failed.
            case fails
            /// Nothing could be asked.
            case notAsked = "not asked"
        }

        /// The group.
        public let group: String
        /// Cases that passed.
        public var passed = 0
        /// Cases that failed.
        public var failed = 0
        /// Cases that could not be asked.
        public var notAsked = 0

        /// The group's verdict.
        public var verdict: Verdict {
            if failed > 0 { return .fails }
            return passed > 0 ? .passes : .notAsked
        }
    }

    /// The cases, in the order in which they were added.
    public private(set) var entries: [Entry] = []

    /// Makes a report of nothing.
    public init() {}

    /// Runs a case and notes how it ended; an error of any kind is a failure.
    ///
    /// - Parameters:
    ///   - id: The identifier of the case.
    ///   - run: The case.
    public mutating func add(_ id: String, _ run: () async throws -> ConformanceOutcome) async {
        let result: Result
        do {
            switch try await run() {
            case .passed: result = .passed
            case .notApplicable(let reason): result = .notAsked(reason)
            }
        } catch {
            result = .failed("\(error)")
        }
        entries.append(Entry(id: id, result: result))
    }

    /// A grade for each group, in the order of their first cases.
    public var grades: [Grade] {
        var grades: [Grade] = []
        for entry in entries {
            let index = grades.firstIndex { $0.group == entry.group } ?? grades.endIndex
            if index == grades.endIndex { grades.append(Grade(group: entry.group)) }
            switch entry.result {
            case .passed: grades[index].passed += 1
            case .failed: grades[index].failed += 1
            case .notAsked: grades[index].notAsked += 1
            }
        }
        return grades
    }

    /// A table of the grades, and a line for each case that has not passed.
    public var description: String {
        let rows =
            [["group", "verdict", "passed", "failed", "not asked"]]
            + grades.map {
                [$0.group, $0.verdict.rawValue, "\($0.passed)", "\($0.failed)", "\($0.notAsked)"]
            }
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
            case .passed: nil
            case .failed(let reason): "\(entry.id): \(reason)"
            case .notAsked(let reason): "\(entry.id) was not asked: \(reason)"
            }
        }
        return (table + (remarks.isEmpty ? [] : [""] + remarks)).joined(separator: "\n")
    }
}
