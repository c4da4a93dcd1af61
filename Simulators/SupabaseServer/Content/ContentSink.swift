import Crypto
import Foundation
import PeerKit

/// Takes the bytes of an upload as they come, into a file or into memory.
///
/// What is not finished is deleted with the sink, whatever became of the upload.
final class ContentSink {
    private let share: MemoryBudget.Share
    private let path: String?
    private let file: FileHandle?
    private var bytes: [UInt8] = []
    private var digest = Insecure.MD5()
    /// Bytes so far.
    private(set) var size = 0
    private var isFinished = false

    /// Makes a sink.
    ///
    /// - Parameter path: The file, which does not exist yet; `nil` for memory.
    init(path: String?, _ share: MemoryBudget.Share) throws(StorageFailure) {
        self.share = share
        self.path = path
        guard let path else {
            file = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw .unexpected("the folder cannot be written") }
        self.file = file
    }

    deinit {
        if !isFinished, let path { try? FileManager.default.removeItem(atPath: path) }
    }

    func write(_ chunk: [UInt8]) throws(StorageFailure) {
        digest.update(data: chunk)
        size += chunk.count
        if let file {
            do { try file.write(contentsOf: chunk) } catch {
                throw .unexpected("the folder cannot be written")
            }
        } else {
            try share.grow(by: chunk.count)
            bytes += chunk
        }
    }

    /// MD5 of the bytes so far, in hexadecimal.
    var entityTag: String {
        Hexadecimal.encode(digest.finalize())
    }

    /// The content, whose file is the sink's until ``keep()``.
    ///
    /// - Parameter rowUse: What the row takes in memory.
    func content(rowUse: Int) throws(StorageFailure) -> StoredContent {
        try share.grow(by: rowUse)
        if let file { try? file.close() }
        return path.map { StoredContent(file: $0, size: size, share) } ?? StoredContent(bytes, share)
    }

    /// Leaves the file to the content, which is part of the state now.
    func keep() { isFinished = true }
}
