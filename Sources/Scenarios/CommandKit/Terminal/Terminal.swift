import ArgumentParser
import Files
import Foundation

/// Standard output and standard error, as a person or a program reads them.
///
/// Colours and progress lines appear on terminals only, and never with `NO_COLOR` set (no-color.org).
package struct Terminal: Sendable {
    /// How a word is shown.
    package enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// Whether standard output is a terminal.
    package let isInteractive: Bool
    private let hasColours: Bool

    /// The terminal of this process.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        isInteractive = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        hasColours = isInteractive && environment["NO_COLOR", default: ""].isEmpty
    }

    /// The text in that style, on terminals.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a line.
    package func line(_ text: String = "") { write(text + "\n") }

    /// Writes text as it is, at once.
    package func write(_ text: String) { Self.put(text, on: .standardOutput) }

    /// Writes a line to standard error.
    package func warn(_ text: String) { Self.put(text + "\n", on: .standardError) }

    /// Replaces the current line, on terminals; what is wider than the terminal is cut off.
    package func progress(_ text: String) {
        if isInteractive { write("\r\u{1B}[K\(text.prefix(Self.width - 1))") }
    }

    /// Removes the progress line.
    package func endProgress() {
        if isInteractive { write("\r\u{1B}[K") }
    }

    /// A reader that has gone, as in `lenssim scenarios | head -1`, ends the process with SIGPIPE, as it does any other.
    private static func put(_ text: String, on handle: FileHandle) {
        do { try handle.write(contentsOf: Data(text.utf8)) } catch {
            // A reader of the output would mistake missing lines for success.
            guard handle.fileDescriptor == STDOUT_FILENO else { return }
            let code = systemError(behind: error) ?? 0
            put(
                "lenssim: could not write the output: \(unsafe String(cString: strerror(code)))\n",
                on: .standardError
            )
            exit(Exit.fileTrouble.rawValue)
        }
    }
}

extension Terminal {
    /// The columns of a line: what `COLUMNS` says, or the terminal, or 80.
    package static var width: Int {
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let columns = Int(text), columns > 0 {
            return columns
        }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
