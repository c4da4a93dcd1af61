import CommandKit
import Foundation
import Synchronization

/// The one line that shows how far a long command has come: a bar, what is done, the time, and what was found.
///
/// When the command ends, the line stays, and says how it ended.
final class ProgressLine: Sendable {
    /// Why there is no more to come.
    enum End: String, Sendable {
        case done
        case failure = "ended at a failure"
        case timeLimit = "the time is up"
        case interruption = "interrupted"
    }

    let terminal: Terminal
    /// What is counted, in the plural.
    let unit: String
    /// All that will be counted; `nil` when time ends the command.
    let total: Int?
    /// Real time after which nothing new is begun.
    let limit: Duration?
    /// Whether nothing is shown, since the output is for machines.
    let isQuiet: Bool
    private let start = ContinuousClock.now
    /// When a state was shown last: terminals are slow, and seeds may be quick.
    private let shown = Mutex<ContinuousClock.Instant?>(nil)

    init(on terminal: Terminal, unit: String, total: Int?, limit: Duration? = nil, isQuiet: Bool = false) {
        self.terminal = terminal
        self.unit = unit
        self.total = total
        self.limit = limit
        self.isQuiet = isQuiet
    }

    /// Shows a state, unless another one was shown just before.
    ///
    /// - Parameter details: What else there is to say, such as how many have failed.
    func show(_ done: Int, _ details: String...) {
        guard !isQuiet, terminal.isInteractive else { return }
        let now = ContinuousClock.now
        let isDue = shown.withLock { shown in
            if let shown, now - shown < .milliseconds(50) { return false }
            shown = now
            return true
        }
        if isDue { terminal.progress(text(done, details, after: now - start)) }
    }

    /// Shows the last state, and ends the line.
    func end(_ done: Int, _ details: String..., ending: End) {
        guard !isQuiet, terminal.isInteractive else { return }
        let state = text(done, details + [ending.rawValue], after: ContinuousClock.now - start)
        terminal.progress(state)
        terminal.line()
    }

    private func text(_ done: Int, _ details: [String], after elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let share = total.map { Double(done) / Double(max($0, 1)) } ?? limit.map { elapsed / $0 }
        let count = total.map { "\(grouped(done))/\(grouped($0))" } ?? grouped(done)
        let time = clock(elapsed) + (limit.map { " of \(clock($0))" } ?? "")
        let rate = "\(grouped(Int(Double(done) / max(seconds, 0.001))))/s"
        let parts = ["\(count) \(unit)", time, rate] + details.filter { !$0.isEmpty }
        return (share.map { bar($0) + " " } ?? "") + parts.joined(separator: " · ")
    }

    private func bar(_ share: Double, width: Int = 20) -> String {
        let filled = max(0, min(width, Int(share * Double(width))))
        return "[" + String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
            + "]"
    }

    /// A length of time in two units at most: `3.2 s`, `2 min 05 s`, `1 h 07 min`.
    private func clock(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return switch seconds {
        case ..<60: String(format: "%.1f s", seconds)
        case ..<3600: String(format: "%d min %02d s", Int(seconds) / 60, Int(seconds) % 60)
        default: String(format: "%d h %02d min", Int(seconds) / 3600, Int(seconds) / 60 % 60)
        }
    }
}
