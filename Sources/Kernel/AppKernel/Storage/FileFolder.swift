internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A folder of whole files that are written at once or not at all.
///
/// Names are single path components. Calls are synchronous and may come from any task.
public struct FileFolder: Sendable, Hashable {
    /// The folder, without a slash at its end.
    public let path: String

    /// Names a folder; nothing is created.
    public init(path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Creates the folder if it is not there; its parent must exist.
    public func create() throws(FileFailure) {
        if unsafe mkdir(path, 0o755) != 0, errno != EEXIST {
            throw FileFailure(errno: errno, operation: "create the folder", path: path)
        }
    }

    /// The path of the file `name` in this folder.
    ///
    /// - Throws: `invalidName` when the name is empty, hidden, or not a single path component.
    public func path(of name: String) throws(FileFailure) -> String {
        guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
            !name.utf8.contains(UInt8(ascii: "/"))
        else { throw FileFailure(.invalidName, operation: "use the file name", path: name) }
        return "\(path)/\(name)"
    }

    /// Writes a new file durably: after a crash at any moment it is whole or absent.
    ///
    /// The bytes go to a hidden file and are synced; then the file gets its name, and the folder is synced.
    ///
    /// - Throws: `alreadyExists`, `full`, `notPermitted`, `missing` (the folder), `invalidName`, `disk`; no file of
    ///   that name is left then, unless the last sync alone failed.
    public func create(_ name: String, bytes: [UInt8]) throws(FileFailure) {
        let destination = try path(of: name)
        guard !contains(name) else {
            throw FileFailure(.alreadyExists, operation: "create", path: destination)
        }
        let temporary = "\(path)/.\(name).partial"
        // Finds nothing once the file has got its name.
        defer { _ = unsafe unlink(temporary) }
        try writeSynced(bytes, to: temporary)
        if unsafe rename(temporary, destination) != 0 {
            throw FileFailure(errno: errno, operation: "name the file", path: destination)
        }
        try syncFolder()
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// - Throws: `missing`, `notPermitted`, `tooLarge`, `invalidName`, `disk`.
    public func read(_ name: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        let path = try path(of: name)
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "open", path: path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Self.ignoringInterrupts {
                unsafe chunk.withUnsafeMutableBytes { unsafe readBytes(file, $0) }
            }
            guard count >= 0 else { throw FileFailure(errno: errno, operation: "read", path: path) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw FileFailure(
                    .tooLarge,
                    operation: "read",
                    path: path,
                    detail: "more than \(limit) bytes"
                )
            }
            bytes += chunk[..<count]
        }
    }

    /// Whether a file of that name is there.
    public func contains(_ name: String) -> Bool {
        guard let path = try? path(of: name) else { return false }
        return unsafe access(path, F_OK) == 0
    }

    /// The names of the files that are not hidden, in alphabetical order; none when the folder cannot be read.
    public func names() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Removes a file durably; harmless when it is not there.
    public func remove(_ name: String) throws(FileFailure) {
        let path = try path(of: name)
        if unsafe unlink(path) != 0 {
            guard errno == ENOENT else { throw FileFailure(errno: errno, operation: "remove", path: path) }
            return
        }
        try syncFolder()
    }

    // MARK: System calls

    private func writeSynced(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        // A leftover of a crash is overwritten: nobody but this call uses the name.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw FileFailure(errno: errno, operation: "create", path: path) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = Self.ignoringInterrupts {
                unsafe bytes.withUnsafeBytes {
                    unsafe write(file, $0.baseAddress?.advanced(by: written), $0.count - written)
                }
            }
            guard count >= 0 else { throw FileFailure(errno: errno, operation: "write", path: path) }
            written += count
        }
        guard fsync(file) == 0 else { throw FileFailure(errno: errno, operation: "sync", path: path) }
    }

    private func syncFolder() throws(FileFailure) {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileFailure(errno: errno, operation: "open the folder", path: path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else {
            throw FileFailure(errno: errno, operation: "sync the folder", path: path)
        }
    }

    /// Repeats a system call that a signal has interrupted.
    private static func ignoringInterrupts(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// The system's `read`, which the method of that name would hide.
private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(file, bytes.baseAddress, bytes.count)
}
