import CommandKit
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
    /// What was said already.
    private let warnings = Mutex<Set<String>>([])
    /// Held while the file is written, so that the newest text is what stays.
    private let writing = Mutex(())

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
        if script.leftOutCount > 0 {
            say("answers that a script cannot hold, or has no room for, are left out")
        }
        writing.withLock { _ in
            guard let text = script.text else { return }
            let clean = key.redacted(from: text)
            do throws(OutputFailure) { try file.write(Data(clean.utf8)) } catch { say("\(error)") }
        }
    }

    private func say(_ words: String) {
        guard warnings.withLock({ $0.insert(words).inserted }) else { return }
        warn("lenssim: \(words)")
    }

    func stop() async { await transport.shutdown() }
}
