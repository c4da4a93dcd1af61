public import Foundation

/// A folder of whole files that are written at once or not at all.
///
/// Names are single path components. Calls are synchronous and may come from any task.
public struct FileFolder: Sendable {
    /// The folder, without a slash at its end.
    public let path: String
    private let files: any FileSystem

    /// Names a folder; nothing is created.
    ///
    /// - Parameters:
    ///   - path: The folder's path on the file system.
    ///   - files: The file system on which it lies.
    public init(path: String, on files: any FileSystem = SystemFiles()) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.files = files
    }

    /// Creates the folder if it is not there; its parent must exist.
    public func create() throws(FileFailure) { try files.createFolder(path) }

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
        let temporary = "\(path)/\(Self.partialName(of: name))"
        do throws(FileFailure) {
            try writeSynced(bytes, to: temporary)
            try files.rename(temporary, to: destination)
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
        try files.syncFolder(path)
    }

    /// The hidden file that ``create(_:bytes:)`` writes before the file has its name.
    private static func partialName(of name: String) -> String { ".\(name).partial" }

    /// Removes the hidden files of ``create(_:bytes:)`` calls that a killed process has not finished.
    ///
    /// Only while no file is being created in the folder, as at the start of a program.
    ///
    /// - Returns: How many were removed.
    /// - Throws: `notPermitted`, `disk`; the others are removed nevertheless.
    @discardableResult
    public func removePartialFiles() throws(FileFailure) -> Int {
        let names = files.names(in: path).filter { $0.hasPrefix(".") && $0.hasSuffix(".partial") }.sorted()
        guard !names.isEmpty else { return 0 }
        var count = 0
        var failure: FileFailure?
        for name in names {
            do throws(FileFailure) { count += try files.remove("\(path)/\(name)") ? 1 : 0 } catch {
                failure = failure ?? error
            }
        }
        try files.syncFolder(path)
        if let failure { throw failure }
        return count
    }

    /// Begins a new file that grows under its own name: what was written is there after a kill of the process, and what was
    /// synced after a power cut.
    ///
    /// - Throws: As ``create(_:bytes:)``; no file of that name is left then.
    /// - Returns: The file, empty; to be closed once.
    public func begin(_ name: String) throws(FileFailure) -> any WritableFile {
        let destination = try path(of: name)
        guard !contains(name) else {
            throw FileFailure(.alreadyExists, operation: "create", path: destination)
        }
        let file = try files.createFile(destination)
        do throws(FileFailure) { try files.syncFolder(path) } catch {
            file.close()
            _ = try? files.remove(destination)
            throw error
        }
        return file
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// - Throws: `missing`, `notPermitted`, `tooLarge`, `invalidName`, `disk`.
    public func read(_ name: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        try files.read(try path(of: name), upTo: limit)
    }

    /// The number of a file's bytes.
    ///
    /// - Throws: `missing`, `notPermitted`, `invalidName`, `disk`.
    public func size(of name: String) throws(FileFailure) -> Int { try files.size(of: try path(of: name)) }

    /// When the bytes of a file were last changed, by the clock that the machine had then: it may be any time, also one to come.
    ///
    /// - Throws: `missing`, `notPermitted`, `invalidName`, `disk`.
    public func modificationTime(of name: String) throws(FileFailure) -> Date {
        try files.modificationTime(of: try path(of: name))
    }

    /// Reads a part of a file: `count` bytes from `offset` on, fewer where it ends.
    ///
    /// - Throws: `missing`, `notPermitted`, `invalidName`, `disk`.
    public func read(_ name: String, from offset: Int, count: Int) throws(FileFailure) -> [UInt8] {
        try files.read(try path(of: name), from: offset, count: count)
    }

    /// Whether a file of that name is there.
    public func contains(_ name: String) -> Bool {
        guard let path = try? path(of: name) else { return false }
        return files.contains(path)
    }

    /// The names of the files that are not hidden, in alphabetical order; none when the folder cannot be read.
    public func names() -> [String] { files.names(in: path).filter { !$0.hasPrefix(".") }.sorted() }

    /// Removes a file durably; harmless when it is not there.
    public func remove(_ name: String) throws(FileFailure) {
        guard try files.remove(try path(of: name)) else { return }
        try files.syncFolder(path)
    }

    /// Removes files durably; those that are not there count as removed.
    ///
    /// The folder is synced in any case: an earlier removal of such a file may have been cut off before its sync.
    ///
    /// - Throws: When the folder could not be synced; the removal of no file is durable then.
    /// - Returns: Why files could not be removed, by their names.
    public func remove(_ names: [String]) throws(FileFailure) -> [String: FileFailure] {
        var failures: [String: FileFailure] = [:]
        for name in names {
            do throws(FileFailure) { _ = try files.remove(try path(of: name)) } catch {
                failures[name] = error
            }
        }
        try files.syncFolder(path)
        return failures
    }

    private func writeSynced(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        // A file that a crash has left is overwritten: only this call uses the name.
        let file = try files.createFile(path)
        defer { file.close() }
        try file.write(bytes)
        try file.sync()
    }
}
