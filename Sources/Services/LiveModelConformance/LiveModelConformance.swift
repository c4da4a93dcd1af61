public import Conformance

/// The requirements of `LiveModel` and `LiveSession`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each opens sessions of its own. They fail by throwing a
/// `ConformanceFailure`, so that any test framework can run them, and a command too.
///
/// A case asks the model for nothing but an answer, of any words: it holds with a service that answers by itself. Whether the service
/// has got pictures, a history or an earlier session, its count of tokens tells, since that is of the whole context. What a
/// service cannot do a harness leaves out of its ``LiveModelHarness/capabilities``.
public enum LiveModelConformance {
    /// All requirements, in the order of their identifiers' first words.
    public static let cases: [Case] = sessions + turns + endings + sound + functions

    /// Runs all cases, one after the other, and grades the model by groups of them.
    public static func report(with harness: some LiveModelHarness) async -> ConformanceReport {
        var report = ConformanceReport()
        for test in cases { await report.add(test.id) { try await test.run(with: harness) } }
        return report
    }

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// A name that stays the same when the sentence changes, such as `session.close`: area, and point.
        public let id: String
        /// The requirement as a sentence.
        public let name: String
        /// What the model must be able to do for it.
        public let needs: Set<LiveCapability>

        private let check: @Sendable (Trial) async throws -> Void

        init(
            _ id: String,
            _ name: String,
            needs: Set<LiveCapability> = [],
            _ check: @escaping @Sendable (Trial) async throws -> Void
        ) {
            self.id = id
            self.name = name
            self.needs = needs
            self.check = check
        }

        /// The requirement with its name.
        public var description: String { "\(id): \(name)" }

        /// Checks the requirement on a new model.
        ///
        /// - Throws: `ConformanceFailure`, or whatever the harness throws.
        @discardableResult
        public func run(with harness: some LiveModelHarness) async throws -> ConformanceOutcome {
            let missing = needs.subtracting(harness.capabilities)
            guard missing.isEmpty else {
                let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
                return .notApplicable("the model cannot do: \(names)")
            }
            try await check(Trial(harness))
            return .passed
        }
    }
}
