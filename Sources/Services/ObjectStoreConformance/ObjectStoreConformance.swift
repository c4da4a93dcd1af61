public import Conformance

/// The requirements of `ObjectStore`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes a store of its own. They fail by
/// throwing a `ConformanceFailure`, so that any test framework can run them, and a command too.
///
/// The shape follows go-cloud's `blob/drivertest`.
public enum ObjectStoreConformance {
    /// All requirements.
    public static let cases: [Case] = content + naming + limits + contention + troubles

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// The requirement as a sentence.
        public let name: String

        private let check: @Sendable (Bench) async throws -> ConformanceOutcome

        init(_ name: String, _ check: @escaping @Sendable (Bench) async throws -> ConformanceOutcome) {
            self.name = name
            self.check = check
        }

        /// A case that applies to every store.
        init(_ name: String, always check: @escaping @Sendable (Bench) async throws -> Void) {
            self.init(name) { bench in
                try await check(bench)
                return .passed
            }
        }

        /// The requirement as a sentence.
        public var description: String { name }

        /// Checks the requirement on a new store.
        ///
        /// - Throws: `ConformanceFailure`, or whatever the harness throws.
        @discardableResult
        public func run(with harness: some ObjectStoreHarness) async throws -> ConformanceOutcome {
            try await check(Bench.make(harness))
        }
    }

    /// How a case that did not fail ended.
}
