import AppKernel
import Foundation

/// A folder for one world's files, which is new, and only this user's.
public final class WorldFolder: Sendable {
    /// Where it lies.
    public let path: String

    /// Makes one.
    ///
    /// The name is not drawn from the simulation: it must differ between equal simulations, and it appears nowhere.
    ///
    /// - Throws: ``FolderUnusable``.
    public init() throws {
        let place = Self.place
        // The system's own way, which no folder or link that is there already can come before.
        var template = Array("\(place)/lenssim-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw FolderUnusable(path: place, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Where worlds keep their files.
    ///
    /// They end with their world, and where the machine keeps files in memory they need no disk, which would cost more
    /// than all else that a small world does with them. `TMPDIR` decides when it is set.
    package static let place: String = {
        let memory = "/dev/shm"
        var status = statvfs()
        if ProcessInfo.processInfo.environment["TMPDIR"] == nil,
            unsafe access(memory, R_OK | W_OK | X_OK) == 0,
            unsafe statvfs(memory, &status) == 0, status.f_bavail * status.f_frsize >= 1 << 30
        {
            return memory
        }
        return FileManager.default.temporaryDirectory.path
    }()

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
