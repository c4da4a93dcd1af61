package import ArgumentParser
import CoreFoundation
import Files
package import Foundation

/// A file that a command writes, under the name that the user gave.
package struct OutputFile: Sendable {
    private let path: String

    /// A file of that name, which may be there already.
    package init(path: String) { self.path = path }

    /// Writes all at once, as the function for pieces does.
    ///
    /// - Throws: ``OutputFailure``.
    package func write(_ data: Data) throws(OutputFailure) {
        do { try write { sink in try sink(data) } } catch let failure as OutputFailure { throw failure } catch
        {
            throw OutputFailure(path: path, error)
        }
    }

    /// Writes piece by piece into a new file, which takes the place of the old one when it is whole, so that nobody ever sees half of it,
    /// and the old file stays where there is no room.
    ///
    /// A link stays one, and what it leads to is replaced, with the old file's rights. What is no regular file, such as a pipe, and
    /// whatever is below `/dev`, such as `/dev/stdout`, is written into, behind what is there.
    ///
    /// - Parameter body: Makes the pieces, and gives each to the function that it gets. When it fails, a file is as it was.
    /// - Throws: ``OutputFailure``, and what `body` throws.
    package func write(_ body: (_ sink: (Data) throws -> Void) throws -> Void) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        var (old, link) = (stat(), stat())
        let isThere = unsafe stat(target, &old) == 0
        // A link to nothing makes what it leads to.
        let isLink = unsafe lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
        // `/dev/stdout` leads to the file that the shell has opened, which is not ours to replace.
        if path.hasPrefix("/dev/") || (isThere ? old.st_mode & S_IFMT != S_IFREG : isLink) {
            return try fill(try opened(path, O_WRONLY | O_APPEND | O_CREAT), body)
        }
        let new = "\(target).\(getpid()).\(UInt32.random(in: 0 ... .max)).new"
        let handle = try opened(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do {
            guard !isThere || fchmod(handle.fileDescriptor, old.st_mode & 0o7777) == 0 else {
                throw OutputFailure(path: path, code: errno)
            }
            try fill(handle, body)
            guard unsafe rename(new, target) == 0 else { throw OutputFailure(path: path, code: errno) }
        } catch {
            unsafe unlink(new)
            throw error
        }
    }

    /// Writes to the standard output, wherever it leads.
    ///
    /// - Throws: ``OutputFailure``.
    package static func writeOut(_ data: Data) throws(OutputFailure) {
        do { try FileHandle.standardOutput.write(contentsOf: data) } catch {
            throw OutputFailure(path: "the standard output", error)
        }
    }

    private func opened(_ name: String, _ flags: Int32) throws(OutputFailure) -> FileHandle {
        let descriptor = unsafe open(name, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw OutputFailure(path: path, code: errno) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private func fill(_ handle: FileHandle, _ body: (_ sink: (Data) throws -> Void) throws -> Void) throws {
        try body { piece in
            do { try handle.write(contentsOf: piece) } catch { throw OutputFailure(path: path, error) }
        }
        do { try handle.close() } catch { throw OutputFailure(path: path, error) }
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
