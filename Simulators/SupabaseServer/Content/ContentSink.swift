import Crypto
import Foundation
import PeerKit

/// Takes the bytes of an upload as they come, into a file or into memory.
///
/// The file of what is not stored is deleted with the sink and its content, whatever became of the upload.
final class ContentSink {
    private let share: MemoryBudget.Share
    private let writer: ContentFileWriter?
    private var bytes: [UInt8] = []
    private var digest = Insecure.MD5()
    /// Bytes so far.
    private(set) var size = 0

    /// Makes a sink.
    ///
    /// - Parameter path: The file, which does not exist yet; `nil` for memory.
    init(path: String?, _ share: MemoryBudget.Share) throws(StorageFailure) {
        self.share = share
        do {
            writer = try path.map { path throws(ContentFile.Unusable) in try ContentFileWriter(path: path) }
        } catch {
            throw .unexpected("the folder cannot be written")
        }
    }

    func write(_ chunk: [UInt8]) throws(StorageFailure) {
        digest.update(data: chunk)
        size += chunk.count
        if let writer {
            do { try writer.write(chunk) } catch { throw .unexpected("the folder cannot be written") }
        } else {
            try share.grow(by: chunk.count)
            bytes += chunk
        }
    }

    /// MD5 of the bytes so far, in hexadecimal.
    var entityTag: String {
        Hexadecimal.encode(digest.finalize())
    }

    /// The content, which nothing keeps yet.
    ///
    /// - Parameter rowUse: What the row takes in memory.
    func content(rowUse: Int) throws(StorageFailure) -> StoredContent {
        try share.grow(by: rowUse)
        return writer.map { StoredContent($0.finish(), share) } ?? StoredContent(bytes, share)
    }
}
