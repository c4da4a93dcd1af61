package import Files

/// A disk of a simulated phone belongs to the phone's one process: every file is private, and every lock free.
extension SimulatedFiles: PrivateFileSystem {
    package func createPrivateFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try createFile(path)
    }

    package func readWithAccess(_ path: String, upTo limit: Int) throws(FileFailure) -> PrivateReading {
        PrivateReading(bytes: try read(path, upTo: limit), isPrivate: true)
    }

    package func lock(_ path: String, patience: Duration) throws(FileFailure) -> (any PathLock)? { NoLock() }
}

private struct NoLock: PathLock {
    func release() {}
}
