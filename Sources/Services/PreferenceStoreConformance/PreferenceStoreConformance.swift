public import Conformance
import Services

/// The requirements of `PreferenceStore`, as cases that any implementation can be run against.
public enum PreferenceStoreConformance {
    /// One requirement.
    public typealias Case = Suite<any PreferenceStoreHarness>.Case

    /// All requirements.
    public static let cases: [Case] = reading + changing + together + keeping + troubles

    /// The suite of them.
    public static let suite = Suite("preference store", cases)
}

extension Suite.Case where Subject == any PreferenceStoreHarness {
    /// - Parameter values: What the store holds from the beginning.
    init(
        _ id: String,
        _ name: String,
        holding values: [String: String] = [:],
        needs: Set<PreferenceStoreCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let isTroubled = needs.contains(.fails) || needs.contains(.crashes)
        let terms = FaultTerms(
            calmBecause: isTroubled ? "it brings about a failure of its own" : nil,
            excuses: { $0 is PreferenceStoreError }
        )
        self.init(id, name, needs: needs, underFaults: terms, harness: { $0 }) { harness in
            let trial = try await Trial.make(harness)
            try await trying {
                if !values.isEmpty { try trial.set(values.mapValues(\.self)) }
                try await check(trial)
            } takingDown: {
                await trial.takeDown()
            }
        }
    }
}
