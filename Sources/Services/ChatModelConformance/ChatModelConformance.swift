public import Conformance

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
}

extension Suite.Case where Subject == any ChatModelHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<ChatCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { try await check(Trial(harness: $0)) }
    }
}
