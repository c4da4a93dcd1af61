package import ArgumentParser
import CoreFoundation
import Files
package import Foundation

/// A file that a command writes, under the name that the user gave.
package struct OutputFile: Sendable {
    private let path: String

    /// A file of that name, which may be there already.
    package init(path: String) { self.path = path }

    /// Writes all at once, so that nobody ever sees half of it, and the old file stays where there is no room.
    ///
    /// A link stays one, and what it leads to is replaced; what is no regular file, such as a pipe or `/dev/stdout`, is
    /// written into.
    ///
    /// - Throws: ``OutputFailure``.
    package func write(_ data: Data) throws(OutputFailure) {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        var status = stat()
        var link = stat()
        let isThere = unsafe stat(target.path, &status) == 0
        // A link to nothing yet is followed by a plain write only.
        let isLink = unsafe lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
        do {
            if isThere, status.st_mode & S_IFMT != S_IFREG {
                let handle = try FileHandle(forWritingTo: target)
                try handle.write(contentsOf: data)
                try handle.close()
            } else {
                try data.write(to: target, options: isLink && !isThere ? [] : .atomic)
            }
        } catch {
            throw OutputFailure(path: path, error)
        }
    }

    /// Writes piece by piece into a file of another name, which takes the place of the old one when it is whole.
    ///
    /// - Parameter body: Makes the pieces, and gives each to the function that it gets. When it fails, nothing has changed.
    /// - Throws: ``OutputFailure``, and what `body` throws.
    package func write(_ body: (_ sink: (Data) throws -> Void) throws -> Void) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        var status = stat()
        let isRegular = unsafe stat(target.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        let written = isRegular ? "\(target.path).\(getpid()).new" : target.path
        do {
            let flags = isRegular ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY
            let descriptor = unsafe open(written, flags | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw OutputFailure(path: path, code: errno) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try body { piece in
                do { try handle.write(contentsOf: piece) } catch { throw OutputFailure(path: path, error) }
            }
            do { try handle.close() } catch { throw OutputFailure(path: path, error) }
            guard unsafe !isRegular || rename(written, target.path) == 0 else {
                throw OutputFailure(path: path, code: errno)
            }
        } catch {
            if isRegular { unsafe unlink(written) }
            throw error
        }
    }
}

/// Why a file could not be written.
package struct OutputFailure: ExitCoded, CustomStringConvertible {
    var path: String
    /// What the system said; 0 when it said nothing.
    var code: Int32

    fileprivate init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    /// What went wrong with the file of that name.
    package init(path: String, _ error: any Error) {
        self.path = path
        code = systemError(behind: error) ?? 0
    }

    /// What was tried, what came back, what to do.
    package var description: String {
        let reason = code == 0 ? "the system gave no reason" : unsafe String(cString: strerror(code))
        let advice =
            switch code {
            case EACCES, EPERM, EROFS: ". Choose another place, or allow writing there."
            case ENOSPC, EDQUOT: ". Free some space."
            case ENOENT, ENOTDIR: ". Make its folder first."
            default: "."
            }
        return "could not write \(path): \(reason)\(advice)"
    }

    package var exitCode: ExitCode {
        [EACCES, EPERM, EROFS].contains(code) ? Exit.notAllowed : Exit.fileTrouble
    }
}
