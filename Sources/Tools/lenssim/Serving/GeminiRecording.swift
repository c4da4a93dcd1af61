import Foundation
import GeminiAPI
import GeminiRecorder
import LiveTransport
import Services
import Synchronization
import Transport

/// A recording of a Gemini that is reached elsewhere; its file has everything at any moment.
final class GeminiRecording: Sendable {
    private let endpoint: GeminiEndpoint
    private let key: Secret
    private let file: OutputFile
    private let script = RecordedScript()
    private let transport: LiveTransport
    private let warn: @Sendable (String) -> Void
    private let hasWarned = Mutex(false)

    /// Prepares a recording.
    ///
    /// - Parameter warn: Takes what went wrong with the file, for people.
    init(
        of endpoint: GeminiEndpoint,
        key: Secret,
        into path: String,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        self.endpoint = endpoint
        self.key = key
        self.warn = warn
        file = OutputFile(path: path)
        transport = try LiveTransport()
    }

    func server(clientKey: String) -> GeminiRecorder {
        GeminiRecorder(
            to: endpoint,
            over: transport,
            key: key,
            clientKey: Secret(clientKey),
            into: script
        ) { self.keep() }
    }

    private func keep() {
        if script.isFull { say("the recording is full, and later answers are left out") }
        guard let text = script.text else { return }
        do throws(OutputFailure) { try file.write(Data(text.utf8)) } catch { say("\(error)") }
    }

    private func say(_ words: String) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        if isFirst { warn("lenssim: \(words)") }
    }

    func stop() async { await transport.shutdown() }
}
