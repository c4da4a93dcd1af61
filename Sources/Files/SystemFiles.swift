public import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The file system of the machine.
public struct SystemFiles: FileSystem {
    /// Names the machine's file system.
    public init() {}

    /// Creates a folder if it is not there; its parent must exist.
    public func createFolder(_ path: String) throws(FileFailure) {
        if unsafe mkdir(path, 0o755) != 0, errno != EEXIST {
            throw FileFailure(errno: errno, operation: "create the folder", path: path)
        }
    }

    /// Opens a file for writing, and makes or empties it.
    public func createFile(_ path: String) throws(FileFailure) -> any WritableFile {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "create", path: path) }
        return SystemFile(descriptor: file, path: path)
    }

    /// Reads a whole file of at most `limit` bytes.
    public func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "open", path: path) }
        defer { close(file) }
        return try Self.read(file, path, upTo: limit)
    }

    /// The number of a file's bytes.
    public func size(of path: String) throws(FileFailure) -> Int {
        Int(try status(of: path, "measure").st_size)
    }

    /// When the bytes of a file were last changed.
    public func modificationTime(of path: String) throws(FileFailure) -> Date {
        let status = try status(of: path, "look up the time of")
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    private func status(of path: String, _ operation: String) throws(FileFailure) -> stat {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw FileFailure(errno: errno, operation: operation, path: path)
        }
        return status
    }

    /// Reads a part of a file.
    public func read(_ path: String, from offset: Int, count: Int) throws(FileFailure) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "open", path: path) }
        defer { close(file) }
        var failure: Int32?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let room = unsafe UnsafeMutableRawBufferPointer(
                    UnsafeMutableBufferPointer(rebasing: buffer[filled...])
                )
                let place = off_t(offset + filled)
                let got = ignoringInterrupts { unsafe pread(file, room.baseAddress, room.count, place) }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        if let failure { throw FileFailure(errno: failure, operation: "read", path: path) }
        return bytes
    }

    /// Reads an open file to its end.
    static func read(_ file: Int32, _ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = ignoringInterrupts {
                unsafe chunk.withUnsafeMutableBytes { unsafe readBytes(file, $0) }
            }
            guard count >= 0 else { throw FileFailure(errno: errno, operation: "read", path: path) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw FileFailure.tooLarge(path, limit: limit) }
            bytes += chunk[..<count]
        }
    }

    /// Gives a file another path, and replaces what had it.
    public func rename(_ path: String, to newPath: String) throws(FileFailure) {
        if renameFile(path, newPath) != 0 {
            throw FileFailure(errno: errno, operation: "name the file", path: newPath)
        }
    }

    /// Removes a file, and returns whether there was one.
    public func remove(_ path: String) throws(FileFailure) -> Bool {
        if unsafe unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw FileFailure(errno: errno, operation: "remove", path: path) }
        return false
    }

    /// Makes durable which files a folder has, and what they are called.
    public func syncFolder(_ path: String) throws(FileFailure) {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileFailure(errno: errno, operation: "open the folder", path: path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else {
            throw FileFailure(errno: errno, operation: "sync the folder", path: path)
        }
    }

    /// Whether there is something of that path.
    public func contains(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The names of everything in a folder; none when it cannot be read.
    public func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

/// A file of the machine that is written from its beginning.
struct SystemFile: WritableFile {
    let descriptor: Int32
    let path: String

    func write(_ bytes: [UInt8]) throws(FileFailure) {
        var written = 0
        while written < bytes.count {
            let count = ignoringInterrupts {
                unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0[written...]) }
            }
            guard count >= 0 else { throw FileFailure(errno: errno, operation: "write", path: path) }
            written += count
        }
    }

    func sync() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw FileFailure(errno: errno, operation: "sync", path: path) }
    }

    func close() { _ = closeFile(descriptor) }
}

/// Repeats a system call that a signal has interrupted.
private func ignoringInterrupts(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

// The system's functions that methods of the same names would hide.

private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(file, bytes.baseAddress, bytes.count)
}

private func writeBytes(_ file: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes)
    return unsafe write(file, bytes.baseAddress, bytes.count)
}

private func renameFile(_ path: String, _ newPath: String) -> Int32 { unsafe rename(path, newPath) }

private func closeFile(_ file: Int32) -> Int32 { close(file) }
