import Foundation

/// The name under which a session is to stand, held against every other writer.
///
/// Takes the place of an older session or of an empty file, and of nothing else.
struct SessionPlace {
    /// Where the file will lie, with symbolic links resolved.
    let path: String
    private let old: FileLock
    private let wasEmpty: Bool

    /// What SQLite may leave beside a database.
    private static let besides = ["-wal", "-shm", "-journal"]
    /// How often a name may change hands while it is being taken.
    private static let attempts = 8

    /// Makes the folders above and takes the name.
    ///
    /// - Throws: `busy`, `occupied`, `notAllowed`, `unwritable`.
    init(_ path: String) throws(SessionError) {
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: path, detail: error.localizedDescription)
        }
        old = try Self.taken(path)
        let status = old.status
        guard status.map({ $0.st_mode & S_IFMT == S_IFREG }) == true else {
            throw .occupied(path: path, isFolder: false)
        }
        wasEmpty = status?.st_size == 0
        guard wasEmpty || SessionFormat.isHeader(old.prefix(SessionFormat.headerCount)) else {
            throw .occupied(path: path, isFolder: false)
        }
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        // An older session whose writer was killed is whole again before anything of it is removed.
        if !wasEmpty { try? InterruptedSession.rollBack(self.path) }
        for beside in Self.besides.map({ self.path + $0 }) where unsafe access(beside, F_OK) == 0 {
            // Beside an older session it is SQLite's; otherwise nobody knows whose it is.
            guard unsafe wasEmpty || unlink(beside) != 0 else { continue }
            if wasEmpty { unsafe unlink(self.path) }
            throw .occupied(path: beside, isFolder: false)
        }
    }

    /// Has a new file made beside the old one, and puts it in its place when it is whole.
    ///
    /// - Returns: The lock on the new file.
    func replace(with make: (_ path: String) throws -> Void) throws -> FileLock {
        // Only who holds the name makes this file: one of the same name was left by a process that is no more.
        let new = "\(path).\(getpid()).new"
        // Its journal would undo the new file.
        for left in [""] + Self.besides { unsafe unlink(new + left) }
        do {
            let lock = try FileLock(path: new, flags: O_RDWR | O_CREAT | O_EXCL)
            try make(new)
            guard unsafe rename(new, path) == 0 else { throw FileLock.Trouble.refused(errno) }
            return lock
        } catch {
            for left in [""] + Self.besides { unsafe unlink(new + left) }
            if wasEmpty { unsafe unlink(path) }
            throw error
        }
    }

    /// Locks the file of that name, and makes it if there is none.
    private static func taken(_ path: String) throws(SessionError) -> FileLock {
        for _ in 0..<attempts {
            do {
                let lock = try FileLock(path: path, flags: O_RDWR | O_CREAT)
                // Another writer may have put its new file in the place of the one that was opened.
                var named = stat()
                guard unsafe stat(path, &named) == 0, let held = lock.status else { continue }
                if held.st_ino == named.st_ino, held.st_dev == named.st_dev { return lock }
            } catch {
                switch error {
                case .held: throw .busy(path: path)
                case .refused(EISDIR): throw .occupied(path: path, isFolder: true)
                case .refused(EACCES), .refused(EPERM): throw .notAllowed(path: path, operation: "replace")
                case .refused: throw .unwritable(path: path, detail: error.detail)
                }
            }
        }
        throw .busy(path: path)
    }
}
