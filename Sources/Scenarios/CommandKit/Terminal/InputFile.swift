package import ArgumentParser
import Files
import Foundation

/// A file that the user names and a library reads, which tells less about what is wrong with it.
package struct InputFile {
    private let path: String

    /// The file of that name.
    package init(path: String) { self.path = path }

    /// Reads a byte of it.
    ///
    /// - Throws: ``InputFileError``.
    package func check() throws(InputFileError) {
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            _ = try handle.read(upToCount: 1)
        } catch {
            guard let code = systemError(behind: error) else { throw .unreadable(path: path, code: EIO) }
            throw code == ENOENT ? .missing(path: path) : .unreadable(path: path, code: code)
        }
    }
}

/// Why a file cannot be read.
package enum InputFileError: ExitCoded, CustomStringConvertible {
    case missing(path: String)
    case unreadable(path: String, code: Int32)

    package var description: String {
        switch self {
        case .missing(let path): "there is no file \(path)"
        case .unreadable(let path, let code):
            "\(path) cannot be read: \(unsafe String(cString: strerror(code)))"
        }
    }
    package var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .unreadable(_, let code): Exit.unreadable(code)
        }
    }
}
