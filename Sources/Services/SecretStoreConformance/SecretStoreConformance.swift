public import Conformance
import Services

/// The requirements of `SecretStore`, as cases that any implementation can be run against.
public enum SecretStoreConformance {
    /// One requirement.
    public typealias Case = Suite<any SecretStoreHarness>.Case

    /// All requirements.
    public static let cases: [Case] = reading + changing + discretion + troubles

    /// The suite of them.
    public static let suite = Suite("secret store", cases)
}

extension Suite.Case where Subject == any SecretStoreHarness {
    /// - Parameter secrets: What the store holds from the beginning.
    init(
        _ id: String,
        _ name: String,
        holding secrets: [String: String] = [:],
        needs: Set<SecretStoreCapability> = [],
        unless contradicts: SecretStoreCapability? = nil,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let terms = FaultTerms(
            calmBecause: needs.contains(.fails) ? "it brings about a failure of its own" : nil,
            excuses: { error in
                guard let error = error as? SecretStoreError, case .unavailable = error else { return false }
                return true
            }
        )
        self.init(id, name, needs: needs, unless: contradicts, underFaults: terms, harness: { $0 }) {
            try await check(.make(secrets.mapValues { Secret($0) }, $0))
        }
    }
}
