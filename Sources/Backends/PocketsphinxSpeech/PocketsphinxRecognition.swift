internal import Services
internal import Synchronization
internal import SystemPrograms

/// One process of pocketsphinx, its sound, and what it has understood.
///
/// The program writes a line after each pause, and the last one when the sound has ended.
final class PocketsphinxRecognition: SpeechRecognition {
    private struct State {
        /// Bytes of a line that has not ended.
        var rest: [UInt8] = []
        var lines: [String] = []
        var feeding: Task<Void, Never>?
    }

    /// What the program has said, and is not taken from it.
    private final class Heard: Sendable {
        let state = Mutex(State())
        let transcripts: AsyncStream<Result<Transcript, SpeechInputError>>
        let put: AsyncStream<Result<Transcript, SpeechInputError>>.Continuation

        init() {
            // Each transcript has all words: of those that nobody takes, the newest matter, and the last is final.
            (transcripts, put) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4))
        }
    }

    /// The most bytes of text: hours of speech.
    private static let textLimit = 1 << 20

    private let heard: Heard
    private let running: RunningProgram
    private let recording: any AudioRecording

    init(
        _ program: SystemProgram,
        _ arguments: [String],
        hearing recording: any AudioRecording,
        patience: Duration
    ) throws(SpeechInputError) {
        let heard = Heard()
        self.heard = heard
        self.recording = recording
        do throws(ProgramError) {
            running = try RunningProgram(program, arguments, outputLimit: Self.textLimit) {
                Self.take($0, heard)
            }
        } catch {
            throw SpeechInputError(.unavailable, detail: "\(error)")
        }
        let feeding = Task { [running] in
            let error = await Self.feed(running, from: recording, patience)
            Self.end(heard, error)
        }
        heard.state.withLock { $0.feeding = feeding }
    }

    deinit { abandon() }

    /// Ends the program; nobody waits for what it has heard.
    private func abandon() {
        running.end(because: .cancelled)
        heard.state.withLock { $0.feeding }?.cancel()
        heard.put.finish()
    }

    func next() async throws(SpeechInputError) -> Transcript? {
        var transcripts = heard.transcripts.makeAsyncIterator()
        let next = await transcripts.next(isolation: #isolation)
        guard let next, !Task.isCancelled else {
            guard Task.isCancelled else { return nil }
            // Nothing comes after that, so nothing has to go on.
            abandon()
            throw SpeechInputError(.cancelled)
        }
        return try next.get()
    }

    func finish() async { heard.state.withLock { $0.feeding }?.cancel() }

    // MARK: Sound

    /// Gives the program the sound up to its end, or to the cancellation of the task, and waits for the program's end.
    private static func feed(
        _ running: RunningProgram,
        from recording: any AudioRecording,
        _ patience: Duration
    ) async -> SpeechInputError? {
        var failure: SpeechInputError?
        do throws(SpeechInputError) {
            while !Task.isCancelled, let bytes = try await recording.read() {
                let limit = timer(running, patience)
                defer { limit.cancel() }
                guard await running.write(bytes) else { break }
            }
        } catch {
            // Cut off: what was heard until now is what there is.
            if error.code != .cancelled {
                failure = error
                running.end(because: .cancelled)
            }
        }
        running.endInput()
        let limit = timer(running, patience)
        defer { limit.cancel() }
        do throws(ProgramError) { try await running.untilEnded() } catch {
            failure =
                failure
                ?? SpeechInputError(
                    error.code == .cancelled ? .cancelled : .recognitionFailed,
                    detail: "\(error)"
                )
        }
        return failure
    }

    /// Ends the program unless it is cancelled in time.
    private static func timer(_ running: RunningProgram, _ patience: Duration) -> Task<Void, Never> {
        Task {
            if (try? await Task.sleep(for: patience)) != nil { running.end(because: .tooSlow) }
        }
    }

    // MARK: Text

    private static func take(_ bytes: [UInt8], _ heard: Heard) {
        let transcript = heard.state.withLock { state -> Transcript? in
            let parts = (state.rest + bytes).split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            state.rest = Array(parts.last ?? [])
            let lines = parts.dropLast().filter { !$0.isEmpty }
            state.lines += lines.map { String(decoding: $0, as: UTF8.self) }
            let text = state.lines.joined(separator: " ")
            // What is no text fails at the end.
            return lines.isEmpty || !isText(text) ? nil : Transcript(text)
        }
        if let transcript { heard.put.yield(.success(transcript)) }
    }

    private static func end(_ heard: Heard, _ failure: SpeechInputError?) {
        let text = heard.state.withLock { state in
            let rest = String(decoding: state.rest, as: UTF8.self)
            return (state.lines + (rest.isEmpty ? [] : [rest])).joined(separator: " ")
        }
        if let failure {
            heard.put.yield(.failure(failure))
        } else if isText(text) {
            heard.put.yield(.success(Transcript(text, isFinal: true)))
        } else {
            heard.put.yield(
                .failure(SpeechInputError(.recognitionFailed, detail: "the program wrote what is no text"))
            )
        }
        heard.put.finish()
    }

    /// Replacement characters stand for what was no UTF-8, and words have no control characters.
    private static func isText(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 != "\u{fffd}" && $0.properties.generalCategory != .control }
    }
}
