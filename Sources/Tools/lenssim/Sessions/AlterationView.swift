import CommandKit
import SessionRecording

/// Says which rows of a recording were changed after it was recorded.
struct AlterationView {
    private let alterations: SessionAlterations

    init(_ alterations: SessionAlterations) { self.alterations = alterations }

    /// Says it as a warning beside the output; nothing where there is nothing to say.
    func show(on terminal: Terminal) {
        guard alterations.count > 0 else { return }
        var names = alterations.first.map(\.description)
        let more = alterations.count - names.count
        if more > 0 { names.append("\(more) more") }
        terminal.warn(
            "warning: this recording was changed after it was recorded: \(names.joined(separator: ", "))"
        )
    }
}
