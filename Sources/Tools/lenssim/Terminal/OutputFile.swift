import CoreFoundation
import Files
import Foundation

/// A file that a command writes, under the name that the user gave.
struct OutputFile {
    let path: String

    /// Writes all at once, so that nobody ever sees half of it, and the old file stays where there is no room.
    ///
    /// A link stays one, and what it leads to is replaced; what is no regular file, such as a pipe or `/dev/stdout`, is
    /// written into.
    ///
    /// - Throws: ``OutputFailure``.
    func write(_ data: Data) throws(OutputFailure) {
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
}

/// Why a file could not be written.
struct OutputFailure: Error, CustomStringConvertible {
    var path: String
    /// What the system said; 0 when it said nothing.
    var code: Int32

    init(path: String, _ error: any Error) {
        self.path = path
        code = systemError(behind: error) ?? 0
    }

    /// What was tried, what came back, what to do.
    var description: String {
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

    /// Whether it is a matter of permission.
    var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(code) }
}
