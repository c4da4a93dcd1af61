public import Conformance
internal import Services

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

    /// What the faults of a network may bring about: that the service is not reached, not in time, or fails on its side; and the end of a session.
    static func excuses(_ error: any Error) -> Bool {
        guard let error = error as? LiveModelError else { return false }
        return [.unreachable, .timedOut, .unavailable, .closed].contains(error.code)
    }
}

extension Suite.Case where Subject == any LiveModelHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<LiveCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let terms = FaultTerms(excuses: LiveModelConformance.excuses)
        self.init(id, name, needs: needs, underFaults: terms, harness: { $0 }) {
            try await check(Trial(harness: $0))
        }
    }
}
