public import Conformance

/// The requirements of `ChatModel`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes a model of its own. They fail by throwing a
/// `ConformanceFailure`, so that any test framework can run them, and a command too.
///
/// What a service cannot do a harness leaves out of its ``ChatModelHarness/capabilities``. The guide
/// `Documentation/ModelBackend.md` writes a model with its harness step by step.
public enum ChatModelConformance {
    /// All requirements.
    public static let cases: [Case] = answers + streams + endings + failures

    /// Runs all cases, one after the other, and grades the model by groups of them.
    public static func report(with harness: some ChatModelHarness) async -> ConformanceReport {
        var report = ConformanceReport()
        for test in cases {
            await report.add(test.id) {
                try await test.run(with: harness)
                return .passed
            }
        }
        return report
    }

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// Names the case; stays as it is when the sentence is reworded.
        public let id: String
        /// The requirement as a sentence.
        public let name: String
        /// What the model and its service must be able to do for it.
        public let needs: Set<ChatCapability>

        private let check: @Sendable (Bench) async throws -> Void

        init(
            _ id: String,
            _ name: String,
            needs: Set<ChatCapability> = [],
            _ check: @escaping @Sendable (Bench) async throws -> Void
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
        /// - Returns: Whether it was checked; a requirement that is not met is thrown.
        /// - Throws: `ConformanceFailure`, also where the case takes longer than the harness's ``ChatModelHarness/patience``; or
        ///   whatever the harness throws.
        @discardableResult
        public func run(with harness: some ChatModelHarness) async throws -> ConformanceOutcome {
            let missing = needs.subtracting(harness.capabilities)
            guard missing.isEmpty else {
                let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
                return .notApplicable("the model cannot do: \(names)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await check(Bench(harness)) }
                group.addTask { [name, patience = harness.patience] in
                    try await Task.sleep(for: patience)
                    throw ConformanceFailure(name, saw: "nothing more within \(patience)")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            return .passed
        }
    }
}
