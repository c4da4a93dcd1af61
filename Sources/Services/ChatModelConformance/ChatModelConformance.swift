public import Conformance
internal import Services

/// The requirements of `ChatModel`, as cases that any implementation can be run against.
///
/// What a service cannot do a harness leaves out of its ``ChatModelHarness/capabilities``. The guide
/// `Documentation/ModelBackend.md` writes a model with its harness step by step.
public enum ChatModelConformance {
    /// One requirement.
    public typealias Case = Suite<any ChatModelHarness>.Case

    /// All requirements.
    public static let cases: [Case] = questions + answers + streams + endings + failures

    /// The suite of them.
    public static let suite = Suite("chat model", cases)

    /// What the faults of a network may bring about: that the service is not reached, not in time or not to the end, or fails on its side.
    static func excuses(_ error: any Error) -> Bool {
        guard let error = error as? ChatModelError else { return false }
        return [.unreachable, .interrupted, .timedOut, .unavailable].contains(error.code)
    }
}

extension Suite.Case where Subject == any ChatModelHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<ChatCapability> = [],
        calmBecause: String? = nil,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let terms = FaultTerms(calmBecause: calmBecause, excuses: ChatModelConformance.excuses)
        self.init(id, name, needs: needs, underFaults: terms, harness: { $0 }) {
            try await check(Trial(harness: $0))
        }
    }
}
