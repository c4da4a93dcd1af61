public import Conformance

/// The requirements of `LiveModel` and `LiveSession`, as cases that any implementation can be run against.
///
/// A case asks the model for nothing but an answer, of any words: it holds with a service that answers by itself. Whether the service
/// has got pictures, a history or an earlier session, its count of tokens tells, since that is of the whole context. What a
/// service cannot do a harness leaves out of its ``LiveModelHarness/capabilities``.
public enum LiveModelConformance {
    /// One requirement.
    public typealias Case = Suite<any LiveModelHarness>.Case

    /// All requirements.
    public static let cases: [Case] = sessions + turns + endings + sound + functions

    /// The suite of them.
    public static let suite = Suite("live model", cases)
}

extension Suite.Case where Subject == any LiveModelHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<LiveCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { try await check(Trial(harness: $0)) }
    }
}
