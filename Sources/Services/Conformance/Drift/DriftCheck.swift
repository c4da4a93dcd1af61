/// How an implementation, such as a simulator, compares with references: the real service, or implementations that others have written.
///
/// What references do must be what the implementation does. A case says something about that only where both sides have tried it;
/// where one has skipped it, nothing is known, and the case is unverified.
///
/// ```swift
/// var result = SuiteResult(ObjectStoreConformance.suite.name, of: "my store", report)
/// result.drift = DriftCheck(of: result, from: [try SuiteResult(json: bytesOfTheRealOne)])
/// ```
public struct DriftCheck: Codable, Sendable, Hashable {
    /// What references say of a case.
    public enum Standing: String, Codable, Sendable, CaseIterable {
        /// Each reference that has tried it ended as the implementation did.
        case verified
        /// A reference ended otherwise.
        case drift
        /// A reference ended otherwise, as is known of it.
        case known
        /// No reference has tried it, or the implementation has not.
        case unverified
    }

    /// One case of the implementation.
    public struct Case: Codable, Sendable, Hashable {
        /// Its group, a dot, and its point.
        public var id: String
        /// What references say of it.
        public var standing: Standing
        /// How references differ; none where it is verified or unverified.
        public var differences: [Difference]
        /// Which side has not tried it, and why; `nil` where it is not unverified.
        public var reason: String?
    }

    /// A case that references have, and the implementation's suite has not.
    public struct Missing: Codable, Sendable, Hashable {
        /// Its group, a dot, and its point.
        public var id: String
        /// The references that have it.
        public var references: [String]
    }

    /// What the references are called.
    public var references: [String]
    /// The cases of the implementation, in the order of the suite.
    public var cases: [Case]
    /// Cases that only references have, since their suite is of another version.
    public var missing: [Missing]
    /// What was known to differ, and does not.
    public var stale: [KnownDrift]

    /// Compares case by case.
    ///
    /// - Parameters:
    ///   - result: How the implementation did.
    ///   - references: How references did in the same suite. Several may have tried different cases; of one that does now this and now that,
    ///     several results are several references.
    ///   - known: What may differ.
    public init(of result: SuiteResult, from references: [SuiteResult], known: [KnownDrift] = []) {
        self.references = references.map(\.implementation)
        cases = result.cases.map { test in
            let differences = references.compactMap { Difference(of: test, from: $0, known: known) }
            let isTried = test.isTried && references.contains { $0[test.id]?.isTried == true }
            let standing: Standing =
                if !isTried { .unverified } else if differences.isEmpty { .verified } else {
                    differences.allSatisfy { $0.known != nil } ? .known : .drift
                }
            let reason = isTried ? nil : Self.whyUntried(test, references)
            return Case(id: test.id, standing: standing, differences: differences, reason: reason)
        }
        var ids = Set(result.cases.map(\.id))
        missing = references.flatMap(\.cases).filter { ids.insert($0.id).inserted }
            .map { test in
                Missing(
                    id: test.id,
                    references: references.filter { $0[test.id] != nil }.map(\.implementation)
                )
            }
        let differing = Dictionary(
            cases.map { ($0.id, $0.differences.map(\.reference)) },
            uniquingKeysWith: +
        )
        stale = known.compactMap { entry in
            let stale = entry.cases.filter { differing[$0]?.contains(entry.reference) != true }
            return stale.isEmpty
                ? nil : KnownDrift(reference: entry.reference, cases: stale, reason: entry.reason)
        }
    }

    /// Whether a case drifts, or something that was known to differ does not.
    public var isWrong: Bool { count(.drift) > 0 || !stale.isEmpty }

    /// How many cases have a standing.
    public func count(_ standing: Standing) -> Int { cases.count { $0.standing == standing } }

    /// What references say of a case; `nil` for one that the implementation's suite has not.
    public subscript(_ id: String) -> Case? { cases.first { $0.id == id } }

    /// Each side that has not tried a case, with its reason; those with the same reason together.
    private static func whyUntried(_ test: SuiteResult.Case, _ references: [SuiteResult]) -> String {
        let sides =
            [("here", test.ending)]
            + references.map { ($0.implementation, $0[test.id]?.ending ?? $0.whyWithout) }
        let ends = sides.reduce(into: [String]()) { if !$0.contains($1.1) { $0.append($1.1) } }
        return ends.map { end in
            "\(sides.filter { $0.1 == end }.map(\.0).joined(separator: ", ")): \(end)"
        }
        .joined(separator: "; ")
    }
}

extension SuiteResult {
    fileprivate subscript(_ id: String) -> Case? { cases.first { $0.id == id } }

    /// Why it does not have a case.
    fileprivate var whyWithout: String {
        skipped.map { "skipped as a whole (\($0))" } ?? error.map { "no results (\($0))" } ?? "no such case"
    }
}
