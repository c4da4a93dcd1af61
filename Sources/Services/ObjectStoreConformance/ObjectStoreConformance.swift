public import Conformance
internal import Services

/// The requirements of `ObjectStore`, as cases that any implementation can be run against.
///
/// `Documentation/StorageBackend.md` writes a store with its harness step by step.
public enum ObjectStoreConformance {
    /// One requirement.
    public typealias Case = Suite<any ObjectStoreHarness>.Case

    /// All requirements.
    public static let cases: [Case] =
        content + naming + limits + reading + uploads + calls + contention + troubles

    /// The suite of them.
    public static let suite = Suite("object store", cases)
}

extension Suite.Case where Subject == any ObjectStoreHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<InjectedFailure> = [],
        ability: ObjectStoreAbility? = nil,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) {
            let trial = try await Trial.make($0)
            if let ability, !trial.store.abilities.contains(ability) {
                throw CaseSkipped("the store has not the ability “\(ability)”")
            }
            try await check(trial)
        }
    }
}
