public import Foundation

/// What a ``FileFolder`` asks of a file system, call by call.
///
/// The app runs on ``SystemFiles``; a test can put another one in its place that fails, or forgets what was not synced.
/// What was written, renamed or removed is durable only after the sync of the file or of the folder.
public protocol FileSystem: Sendable {
    /// Creates a folder; harmless when it is there.
    func createFolder(_ path: String) throws(FileFailure)

    /// Creates an empty file, or empties the one of that path, for writing.
    func createFile(_ path: String) throws(FileFailure) -> any WritableFile

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// - Throws: `tooLarge` when it has more.
    func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8]

    /// The number of a file's bytes.
    func size(of path: String) throws(FileFailure) -> Int

    /// When the bytes of a file were last changed, by the clock that the machine had then: it may be any time, also one to come.
    ///
    /// - Throws: `missing`, `notPermitted`, `disk`.
    func modificationTime(of path: String) throws(FileFailure) -> Date

    /// Reads a part of a file: `count` bytes from `offset` on, fewer where it ends.
    func read(_ path: String, from offset: Int, count: Int) throws(FileFailure) -> [UInt8]

    /// Gives a file another path, and replaces what had it.
    func rename(_ path: String, to newPath: String) throws(FileFailure)

    /// Removes a file.
    ///
    /// - Returns: Whether there was one.
    func remove(_ path: String) throws(FileFailure) -> Bool

    /// Makes durable which files a folder has, and what they are called.
    func syncFolder(_ path: String) throws(FileFailure)

    /// Whether there is something of that path.
    func contains(_ path: String) -> Bool

    /// The names of everything in a folder, in any order; none when it cannot be read.
    func names(in folder: String) -> [String]
}

extension FileSystem {
    /// Reads all of it, for file systems on which that costs little.
    public func size(of path: String) throws(FileFailure) -> Int { try read(path, upTo: .max).count }

    /// Reads all of it, for file systems on which that costs little.
    public func read(_ path: String, from offset: Int, count: Int) throws(FileFailure) -> [UInt8] {
        Array(try read(path, upTo: .max).dropFirst(offset).prefix(count))
    }
}

/// A file that is open for writing, from its beginning.
public protocol WritableFile {
    /// Writes behind what was written before.
    func write(_ bytes: [UInt8]) throws(FileFailure)

    /// Makes durable what was written.
    func sync() throws(FileFailure)

    /// Ends the use of the file.
    ///
    /// To be called once, also after a failure.
    func close()
}
