#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension SystemFiles: PrivateFileSystem {
    /// Only the owner reads and writes.
    private static let ownerOnly: mode_t = 0o600

    /// Creates a file of mode 0600 for writing, in the place of any file of that path.
    public func createPrivateFile(_ path: String) throws(FileFailure) -> any WritableFile {
        // A file that is there keeps its mode and its readers when it is emptied: it has to go first.
        _ = try remove(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe open(path, flags, Self.ownerOnly)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "create", path: path) }
        return SystemFile(descriptor: file, path: path)
    }

    /// Reads a whole file of at most `limit` bytes, with who else may use it.
    public func readWithAccess(_ path: String, upTo limit: Int) throws(FileFailure) -> PrivateReading {
        // A pipe must not wait for its other end.
        let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "open", path: path) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            throw FileFailure(errno: errno, operation: "look at", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(.missing, operation: "open", path: path, detail: "it is no file")
        }
        let isPrivate = status.st_mode & 0o077 == 0 && status.st_uid == geteuid()
        return PrivateReading(bytes: try Self.read(file, path, upTo: limit), isPrivate: isPrivate)
    }

    /// Locks a path as flock(2) does.
    public func lock(_ path: String, patience: Duration) throws(FileFailure) -> (any PathLock)? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = unsafe open(path, flags, Self.ownerOnly)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "lock", path: path) }
        let end = ContinuousClock.now + patience
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else {
                close(file)
                throw FileFailure(errno: number, operation: "lock", path: path)
            }
            guard ContinuousClock.now < end else {
                close(file)
                return nil
            }
            // The holder writes one small file: it is done in milliseconds.
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            unsafe nanosleep(&pause, nil)
        }
        return SystemLock(descriptor: file)
    }
}

private struct SystemLock: PathLock {
    let descriptor: Int32

    func release() { close(descriptor) }
}
