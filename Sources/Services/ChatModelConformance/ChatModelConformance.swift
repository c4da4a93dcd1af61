public import Conformance

/// The requirements of `ChatModel`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes a model of its own. They fail by throwing a
/// `ConformanceFailure`, so that any test framework can run them, and a command too.
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

        private let check: @Sendable (Bench) async throws -> Void

        init(_ id: String, _ name: String, _ check: @escaping @Sendable (Bench) async throws -> Void) {
            self.id = id
            self.name = name
            self.check = check
        }

        /// The requirement as a sentence.
        public var description: String { name }

        /// Checks the requirement on a new model.
        ///
        /// - Throws: `ConformanceFailure`, or whatever the harness throws.
        public func run(with harness: some ChatModelHarness) async throws {
            try await check(Bench(harness))
        }
    }
}
