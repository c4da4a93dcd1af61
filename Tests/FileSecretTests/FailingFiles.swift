import Files
import Foundation
import Synchronization
import Testing

/// The machine's file system, on which one changing call fails; of a write half is done.
final class FailingFiles: PrivateFileSystem {
    private let base = SystemFiles()
    private let count = Mutex(0)
    private let failing: Int
    /// What is done before a key file is read for the first time.
    private let interruption: Mutex<(@Sendable () -> Void)?>

    /// Makes a file system on which the changing call of that number, from 1, fails.
    init(at call: Int = .max, beforeKey interruption: (@Sendable () -> Void)? = nil) {
        failing = call
        self.interruption = Mutex(interruption)
    }

    /// How many changing calls there were.
    var calls: Int { count.withLock { $0 } }

    private func isNext() -> Bool {
        count.withLock { count in
            count += 1
            return count == failing
        }
    }

    private func fails(_ operation: String, _ path: String) throws(FileFailure) {
        if isNext() { throw FileFailure(.disk, operation: operation, path: path) }
    }

    func createFolder(_ path: String) throws(FileFailure) { try base.createFolder(path) }

    func createFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try createPrivateFile(path)
    }

    func createPrivateFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try fails("create", path)
        return File(base: try base.createPrivateFile(path), path: path, files: self)
    }

    func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        try base.read(path, upTo: limit)
    }

    func readWithAccess(_ path: String, upTo limit: Int) throws(FileFailure) -> PrivateReading {
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        interruption?()
        return try base.readWithAccess(path, upTo: limit)
    }

    func modificationTime(of path: String) throws(FileFailure) -> Date {
        try base.modificationTime(of: path)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try fails("rename", newPath)
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileFailure) -> Bool { try base.remove(path) }

    func syncFolder(_ path: String) throws(FileFailure) {
        try fails("sync", path)
        try base.syncFolder(path)
    }

    func contains(_ path: String) -> Bool { base.contains(path) }
    func names(in folder: String) -> [String] { base.names(in: folder) }

    func lock(_ path: String, patience: Duration) throws(FileFailure) -> (any PathLock)? {
        try base.lock(path, patience: patience)
    }

    private struct File: WritableFile {
        let base: any WritableFile
        let path: String
        let files: FailingFiles

        func write(_ bytes: [UInt8]) throws(FileFailure) {
            if files.isNext() {
                try base.write(Array(bytes.prefix(bytes.count / 2)))
                throw FileFailure(.full, operation: "write", path: path)
            }
            try base.write(bytes)
        }

        func sync() throws(FileFailure) {
            try files.fails("sync", path)
            try base.sync()
        }

        func close() { base.close() }
    }
}

/// Holds a lock as another process would.
struct SystemFilesHolder {
    let lock: any PathLock

    init(path: String) throws { lock = try #require(try SystemFiles().lock(path, patience: .zero)) }
}
