public import Conformance

/// The requirements of `SpeechSynthesizer`, as cases that any implementation can be run against.
public enum SpeechSynthesizerConformance {
    /// One requirement.
    public typealias Case = Suite<any SpeechSynthesizerHarness>.Case

    /// All requirements.
    public static let cases: [Case] = speaking + stopping + cancelling

    /// The suite of them.
    public static let suite = Suite("speech synthesizer", cases)
}

extension Suite.Case where Subject == any SpeechSynthesizerHarness {
    /// The voice is silent in the end.
    init(
        _ id: String,
        _ name: String,
        needs: Set<SpeechSynthesizerCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { harness in
            let trial = try await Trial.make(harness)
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.takeDown()
            }
        }
    }
}
