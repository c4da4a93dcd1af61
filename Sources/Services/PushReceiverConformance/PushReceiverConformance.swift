public import Conformance

/// The requirements of `PushReceiver`, as cases that any implementation can be run against.
public enum PushReceiverConformance {
    /// One requirement.
    public typealias Case = Suite<any PushReceiverHarness>.Case

    /// All requirements.
    public static let cases: [Case] = permission + tokens + arriving + tapping

    /// The suite of them.
    public static let suite = Suite("push receiver", cases)
}

extension Suite.Case where Subject == any PushReceiverHarness {
    /// The receiver is taken down in the end.
    init(
        _ id: String,
        _ name: String,
        needs: Set<PushReceiverCapability> = [],
        isAllowed: Bool = true,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { harness in
            let trial = try await Trial.make(harness, isAllowed)
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.takeDown()
            }
        }
    }
}
