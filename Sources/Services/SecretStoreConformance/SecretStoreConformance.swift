public import Conformance

/// The requirements of `SecretStore`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes a store of its own. They fail by
/// throwing a `ConformanceFailure`, so that any test framework can run them, and a command too.
public enum SecretStoreConformance {
    /// All requirements.
    public static let cases: [Case] = reading + changing + discretion + troubles

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// The requirement as a sentence.
        public let name: String

        private let needs: Set<SecretStoreCapability>
        private let check: @Sendable (Bench) async throws -> Void

        init(
            _ name: String,
            needs: Set<SecretStoreCapability> = [],
            _ check: @escaping @Sendable (Bench) async throws -> Void
        ) {
            self.name = name
            self.needs = needs
            self.check = check
        }

        /// The requirement as a sentence.
        public var description: String { name }

        /// Checks the requirement on a new store.
        ///
        /// - Throws: `ConformanceFailure`, or whatever the harness throws.
        @discardableResult
        public func run(with harness: some SecretStoreHarness) async throws -> ConformanceOutcome {
            let missing = needs.subtracting(harness.capabilities)
            guard missing.isEmpty else {
                let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
                return .notApplicable("the store cannot do: \(names)")
            }
            try await check(Bench(harness))
            return .passed
        }
    }
}
