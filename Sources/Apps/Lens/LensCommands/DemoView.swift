import CommandKit
import LensScenarios
import Synchronization

/// Shows a demonstration while it runs.
final class DemoView: Sendable {
    private let terminal: Terminal
    private let isQuiet: Bool
    /// Whether the assistant's text stands at the end of an open line.
    private let isInText = Mutex(false)
    private let understood = Mutex<String?>(nil)

    /// What the recognizer has understood of the user; `nil` when nobody was listened to.
    var heard: String? { understood.withLock { $0 } }

    init(terminal: Terminal, isQuiet: Bool) {
        self.terminal = terminal
        self.isQuiet = isQuiet
    }

    func opening(_ addresses: LensAddresses, _ spoken: SpokenDemo?) {
        line("Gemini    \(addresses.gemini)")
        let kind =
            switch addresses.store {
            case .supabase: "Supabase"
            case .s3: "S3      "
            case .folder: "folder  "
            }
        line("\(kind)  \(addresses.store.place ?? "")")
        guard let spoken else { return }
        line("question  “\(SpokenDemo.question)”, in \(spoken.questionPath)")
    }

    func show(_ event: DemoEvent) {
        switch event {
        case .launched(let uploads, let messages, let problems):
            if uploads > 0 { line("\(uploads) photos of an earlier run are waiting for upload") }
            if messages > 0 { line("\(messages) messages of earlier runs in the history") }
            for problem in problems { line(terminal.styled("problem: \(problem)", .yellow)) }
        case .streaming: line("streaming …")
        case .text(let text):
            guard !isQuiet else { return }
            let opens = isInText.withLock { isInText in
                defer { isInText = true }
                return !isInText
            }
            terminal.write((opens ? terminal.styled("assistant  ", .cyan) : "") + text)
        case .turnEnded: close()
        case .photo(let name): line("captured \(name)")
        case .asking: line("asking aloud …")
        case .heard(let text):
            understood.withLock { $0 = text }
            line(
                terminal.styled("heard      ", .cyan) + (text.isEmpty ? "nothing that was understood" : text)
            )
        case .awaitingUploads(let count): line("waiting for \(count) upload\(count == 1 ? "" : "s")")
        }
    }

    /// Ends an open line.
    func close() {
        let wasOpen = isInText.withLock { isInText in
            defer { isInText = false }
            return isInText
        }
        if wasOpen, !isQuiet { terminal.line() }
    }

    private func line(_ text: String) {
        guard !isQuiet else { return }
        close()
        terminal.line(text)
    }
}
