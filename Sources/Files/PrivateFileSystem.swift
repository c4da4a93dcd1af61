/// What a store of secrets asks of a file system beyond ``FileSystem``: files for their owner alone, and a lock.
public protocol PrivateFileSystem: FileSystem {
    /// Creates an empty file for writing that nobody but its owner may read or write, in the place of any file of that
    /// path.
    func createPrivateFile(_ path: String) throws(FileFailure) -> any WritableFile

    /// Reads a whole file of at most `limit` bytes, with who else may use it.
    ///
    /// - Throws: `missing`, `notPermitted`, `tooLarge`, `disk`.
    func readWithAccess(_ path: String, upTo limit: Int) throws(FileFailure) -> PrivateReading

    /// Locks a path against every other process, and against others of this process that lock it.
    ///
    /// The lock is a file of that path, made where there is none; it ends with its process at the latest.
    ///
    /// - Parameters:
    ///   - path: Of the lock's file.
    ///   - patience: How long to wait for who holds it.
    /// - Returns: `nil` when it is still held after that time.
    /// - Throws: `missing`, `notPermitted`, `disk` when the file cannot be made.
    func lock(_ path: String, patience: Duration) throws(FileFailure) -> (any PathLock)?
}

/// What was in a file, and who may use it.
public struct PrivateReading: Sendable {
    /// The whole contents.
    public var bytes: [UInt8]
    /// Whether the file belongs to the program's own user, and nobody else may read or write it.
    public var isPrivate: Bool

    /// Makes a value of its parts.
    public init(bytes: [UInt8], isPrivate: Bool) {
        self.bytes = bytes
        self.isPrivate = isPrivate
    }
}

/// A path that nobody else can lock until this is released.
public protocol PathLock {
    /// Lets others have it.
    ///
    /// To be called once.
    func release()
}
