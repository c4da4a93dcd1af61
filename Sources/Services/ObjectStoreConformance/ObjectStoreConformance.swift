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

    /// What the faults of a network may bring about: that the service is not reached, or not in time, or fails on its side; and that an upload
    /// says `alreadyExists` after an attempt of its own whose answer was lost, where it must have taken effect.
    static func excuses(_ error: any Error) -> Bool {
        guard let error = error as? ObjectStoreError else { return false }
        return switch error.code {
        case .network, .timedOut, .serverError: true
        case .alreadyExists: error.operation == "put"
        default: false
        }
    }
}

extension Suite.Case where Subject == any ObjectStoreHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<InjectedFailure> = [],
        ability: ObjectStoreAbility? = nil,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let terms = FaultTerms(
            calmBecause: needs.isEmpty ? nil : "it brings about a failure of its own",
            excuses: ObjectStoreConformance.excuses
        )
        self.init(id, name, needs: needs, underFaults: terms, harness: { $0 }) {
            let trial = try await Trial.make($0)
            if let ability, !trial.store.abilities.contains(ability) {
                throw CaseSkipped("the store has not the ability “\(ability)”")
            }
            try await check(trial)
        }
    }
}
