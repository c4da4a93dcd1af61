import Conformance
import Services

extension SpeechRecognizerConformance {
    /// Speech that is ended by who listens.
    static let finishing: [Case] = [
        Case("finish.waiting", "who waits has a final transcript when the speech is ended", hearing: .open) {
            trial in
            let recognition = try await trial.recognition()
            let reading = Task { try await trial.transcripts(of: recognition) }
            try await Task.sleep(for: .seconds(1))
            await recognition.finish()
            try await trial.expectOneFinal(try await reading.value, of: recognition)
        },
        Case("finish.early", "speech that is ended at once has a final transcript", hearing: .open) { trial in
            let recognition = try await trial.recognition()
            await recognition.finish()
            try await trial.expectOneFinal(try await trial.transcripts(of: recognition), of: recognition)
        },
        Case("finish.twice", "ending the speech again changes nothing", hearing: .open) { trial in
            let recognition = try await trial.recognition()
            for _ in 0..<2 { await recognition.finish() }
            let transcripts = try await trial.transcripts(of: recognition)
            await recognition.finish()
            try await trial.expectOneFinal(transcripts, of: recognition)
        },
        Case("finish.after", "ending the speech after its end changes nothing") { trial in
            let recognition = try await trial.recognition()
            let transcripts = try await trial.transcripts(of: recognition)
            await recognition.finish()
            try await trial.expectOneFinal(transcripts, of: recognition)
        },
    ]

    /// Callers that are cancelled.
    static let cancelling: [Case] = [
        Case(
            "cancel.next",
            "a cancelled reader is answered promptly, and nothing comes after",
            hearing: .open
        ) {
            trial in
            let recognition = try await trial.recognition()
            let reading = Task {
                while try await recognition.next() != nil {}
                throw ConformanceFailure("a reader waits", saw: "the end")
            }
            try await Task.sleep(for: .seconds(1))
            reading.cancel()
            let result = try await requireEnd(
                "a cancelled reader is answered promptly",
                within: trial.patience
            ) { await reading.result }
            guard case .failure(let error) = result, let error = error as? SpeechInputError else {
                throw ConformanceFailure("a cancelled reader has an error", saw: "the end")
            }
            try require(error.code, is: .cancelled, "a cancelled reader has that error")
            try await trial.expectEnd(of: recognition, "nothing comes after a cancellation")
        },
        Case("cancel.begin", "a cancelled task that begins to recognize is answered promptly") { trial in
            let recording = try await trial.record()
            try await checkCancelled(trial) { _ = try await $0.recognize(recording) }
        },
        Case("cancel.again", "another recording is recognized after a cancelled reader", hearing: .sentence) {
            trial in
            let first = try await trial.recognition()
            let reading = cancelledTask { while try await first.next() != nil {} }
            try await requireEnd("a cancelled reader is answered promptly", within: trial.patience) {
                _ = await reading.result
            }
            let second = try await trial.recognition()
            let text = try await trial.transcripts(of: second).last?.text ?? ""
            try require(trial.isRight(text), "the next recording is understood", saw: "“\(text)”")
        },
    ]

    /// What fails.
    static let troubles: [Case] = [
        Case(
            "trouble.microphone",
            "a microphone that fails is that error, and nothing comes after it",
            hearing: .brokenMicrophone,
            needs: [.understands, .microphoneFailures]
        ) { trial in try await trial.expectFailure(.microphoneFailed, of: try await trial.recognition()) },
        Case(
            "trouble.recognizer",
            "a recognizer that fails is that error, and nothing comes after it",
            hearing: .brokenRecognizer,
            needs: [.understands, .recognitionFailures]
        ) { trial in try await trial.expectFailure(.recognitionFailed, of: try await trial.recognition()) },
    ]
}
