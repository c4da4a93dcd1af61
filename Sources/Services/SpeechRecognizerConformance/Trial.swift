import Conformance
import Services
import Synchronization

/// A recognizer on trial, with its harness at hand.
struct Trial: Sendable {
    let recognizer: any SpeechRecognizer
    let patience: Duration
    private let begin: @Sendable () async throws -> any AudioRecording
    let isRight: @Sendable (String) -> Bool
    private let end: @Sendable () async -> Void
    private let recordings = Recordings()

    /// A microphone may have one recording at a time.
    private final class Recordings: Sendable {
        let last = Mutex<(any AudioRecording)?>(nil)
    }

    static func make<Harness: SpeechRecognizerHarness>(
        _ scene: SpeechScene,
        _ harness: Harness
    ) async throws -> Trial {
        let recognizer = try await harness.makeRecognizer(scene)
        return Trial(
            recognizer: recognizer,
            patience: harness.patience,
            begin: { try await harness.record(scene, for: recognizer) },
            isRight: { harness.isRight($0) },
            end: { await harness.takeDown(recognizer) }
        )
    }

    /// Begins a recording of the scene, and ends the one before.
    func record() async throws -> any AudioRecording {
        await stopRecording()
        let recording = try await begin()
        recordings.last.withLock { $0 = recording }
        return recording
    }

    func takeDown() async {
        await stopRecording()
        await end()
    }

    private func stopRecording() async { await recordings.last.withLock { $0.take() }?.stop() }

    /// Begins to recognize a recording of the scene, which must succeed.
    func recognition() async throws -> any SpeechRecognition {
        let recording = try await record()
        return try await requireEnd("a recognition begins", within: patience) { [recognizer] in
            try await requireSuccess("a recognition begins") { try await recognizer.recognize(recording) }
        }
    }

    /// Reads transcripts up to the one after which there is none.
    func transcripts(of recognition: any SpeechRecognition) async throws -> [Transcript] {
        try await requireEnd("the transcripts come to an end", within: patience) {
            try await requireSuccess("a recording is understood") {
                var all: [Transcript] = []
                while let next = try await recognition.next() {
                    all.append(next)
                    // One that never ends would fill the memory.
                    if all.count == 1_000 { break }
                }
                return all
            }
        }
    }

    /// Checks that the last of the transcripts is final, and no other, and that none comes after them.
    func expectOneFinal(_ transcripts: [Transcript], of recognition: any SpeechRecognition) async throws {
        try require(
            transcripts.last?.isFinal == true,
            "the last transcript is final",
            saw: transcripts.last.map { "“\($0.text)”, which is not" } ?? "none"
        )
        try require(transcripts.count { $0.isFinal }, is: 1, "one transcript is final")
        try await expectEnd(of: recognition, "nothing comes after the final transcript")
    }

    /// Checks that nothing comes any more, however often it is asked for.
    func expectEnd(of recognition: any SpeechRecognition, _ requirement: String) async throws {
        for _ in 0..<2 {
            let next = try await requireEnd(requirement, within: patience) {
                try await requireSuccess(requirement) { try await recognition.next() }
            }
            try require(next == nil, requirement, saw: "“\(next?.text ?? "")”")
        }
    }

    /// Reads transcripts up to an error, which must be of this kind and the last that comes.
    func expectFailure(_ code: SpeechInputError.Code, of recognition: any SpeechRecognition) async throws {
        let error: SpeechInputError = try await requireEnd("a failure comes in time", within: patience) {
            try await requireError("what fails is an error") {
                while let next = try await recognition.next(), !next.isFinal {}
            }
        }
        try require(error.code, is: code, "the error says what has failed")
        try await expectEnd(of: recognition, "nothing comes after an error")
    }
}
