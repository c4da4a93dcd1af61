public import Foundation
internal import ScenarioKit

/// Opens the user's browser at an address that nobody else is to learn.
///
/// The arguments of a process can be read by every user of the machine. So the browser is given a file, which its owner alone
/// can read, and which leads to the address.
public struct BrowserStart: ~Copyable {
    private let file: String

    /// Opens the browser.
    ///
    /// - Parameters:
    ///   - address: What is to be opened.
    ///   - title: What the file is called while it leads there.
    ///   - file: Where the file goes that leads there; it is deleted with this value.
    ///   - mask: The file mode creation mask of the browser, which is not that of this program.
    ///   - trouble: Told when there is no browser.
    /// - Throws: `FolderUnusable` when the file cannot be written.
    public init(
        at address: String,
        title: String,
        through file: String,
        mask: mode_t,
        trouble: @escaping @Sendable (String) -> Void
    ) throws {
        self.file = file
        let html =
            "<!doctype html><meta charset=\"utf-8\"><title>\(title)</title>"
            + "<meta http-equiv=\"refresh\" content=\"0;url=\(address)\">"
        try PrivateFile.write(Data(html.utf8), to: file)
        #if os(macOS)
        let name = "open"
        #else
        let name = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "umask $0 && exec \"$@\"", String(mask, radix: 8), name, file]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { process in
            if process.terminationStatus != 0 {
                trouble("no browser could be opened with \(name): open the address yourself.")
            }
        }
        do { try process.run() } catch { trouble("no browser could be opened: \(error)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: file) }
}
