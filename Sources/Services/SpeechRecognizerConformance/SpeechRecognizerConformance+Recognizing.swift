import Conformance
import Services

extension SpeechRecognizerConformance {
    /// What makes a recognizer ready.
    static let preparing: [Case] = [
        Case("prepare.again", "a recognizer can be made ready again and again") { trial in
            for _ in 0..<3 {
                try await requireEnd("a recognizer is made ready in time", within: trial.patience) {
                    try await requireSuccess("a recognizer is made ready") {
                        try await trial.recognizer.prepare()
                    }
                }
            }
        },
        Case(
            "prepare.absent",
            "where there is no recognizer none can be made ready",
            hearing: .noRecognizer,
            needs: [.absence]
        ) { trial in
            for _ in 0..<2 {
                let error: SpeechInputError = try await requireError("a missing recognizer is an error") {
                    try await trial.recognizer.prepare()
                }
                try require(error.code, is: .unavailable, "a missing recognizer is unavailable")
            }
        },
        Case("prepare.cancelled", "a cancelled task that makes a recognizer ready is answered promptly") {
            trial in
            try await checkCancelled(trial) { try await $0.prepare() }
        },
    ]

    /// What is understood of a recording.
    static let recognizing: [Case] = [
        Case("recognize.final", "the last transcript is final, no other is, and nothing comes after it") {
            trial in
            let recognition = try await trial.recognition()
            try await trial.expectOneFinal(try await trial.transcripts(of: recognition), of: recognition)
        },
        Case("recognize.words", "the final transcript has all words that were understood") { trial in
            let recognition = try await trial.recognition()
            let text = try await trial.transcripts(of: recognition).last?.text ?? ""
            try require(trial.isRight(text), "the final transcript has the words", saw: "“\(text)”")
        },
        Case("recognize.partials", "words come before the end", needs: [.understands, .partials]) { trial in
            let recognition = try await trial.recognition()
            let count = try await trial.transcripts(of: recognition).count { !$0.isFinal }
            try require(count > 0, "words come before the end", saw: "none")
        },
        Case("recognize.again", "another recording is recognized after one") { trial in
            for _ in 0..<2 {
                let recognition = try await trial.recognition()
                let text = try await trial.transcripts(of: recognition).last?.text ?? ""
                try require(trial.isRight(text), "each recording is understood", saw: "“\(text)”")
            }
        },
        Case(
            "recognize.absent",
            "where there is no recognizer nothing is recognized",
            hearing: .noRecognizer,
            needs: [.absence]
        ) { trial in
            let recording = try await trial.record()
            let error: SpeechInputError = try await requireError("a missing recognizer is an error") {
                _ = try await trial.recognizer.recognize(recording)
            }
            try require(error.code, is: .unavailable, "a missing recognizer is unavailable")
        },
    ]

    /// A cancelled call may have been too late to notice, and must return.
    static func checkCancelled(
        _ trial: Trial,
        _ call: @escaping @Sendable (any SpeechRecognizer) async throws -> Void
    ) async throws {
        let recognizer = trial.recognizer
        let calling = cancelledTask { try await call(recognizer) }
        let result = try await requireEnd("a cancelled task is answered promptly", within: trial.patience) {
            await calling.result
        }
        guard case .failure(let error) = result else { return }
        try require(
            (error as? SpeechInputError)?.code == .cancelled,
            "a cancelled task has no other error",
            saw: "“\(error)”"
        )
    }
}
