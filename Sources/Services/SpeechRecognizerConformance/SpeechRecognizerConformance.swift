public import Conformance

/// The requirements of `SpeechRecognizer` and its `SpeechRecognition`, as cases that any implementation can be run against.
public enum SpeechRecognizerConformance {
    /// One requirement.
    public typealias Case = Suite<any SpeechRecognizerHarness>.Case

    /// All requirements.
    public static let cases: [Case] = preparing + recognizing + finishing + cancelling + troubles

    /// The suite of them.
    public static let suite = Suite("speech recognizer", cases)
}

extension Suite.Case where Subject == any SpeechRecognizerHarness {
    /// - Parameter scene: What there is to be heard.
    init(
        _ id: String,
        _ name: String,
        hearing scene: SpeechScene = .sentence,
        needs: Set<SpeechRecognizerCapability> = [.understands],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { harness in
            let trial = try await Trial.make(scene, harness)
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.takeDown()
            }
        }
    }
}
