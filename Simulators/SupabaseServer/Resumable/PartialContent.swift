import Crypto
import Foundation
import PeerKit
import Synchronization

/// The bytes of an upload that comes in parts, as far as they have come: in a file, or in memory.
///
/// Whoever holds the upload's lock writes; what was written stays, whatever becomes of the request that brought it.
final class PartialContent: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var size: Int
        var share: MemoryBudget.Share
    }

    /// Bytes that are read at once for the digest.
    private static let chunkLength = 1 << 20

    private let path: String?
    private let state: Mutex<State>

    /// Makes a place for bytes.
    ///
    /// - Parameters:
    ///   - path: The file, which may hold bytes from earlier; `nil` for memory.
    ///   - share: Counts what is in memory.
    init(path: String?, _ share: MemoryBudget.Share) throws(StorageFailure) {
        self.path = path
        var size = 0
        if let path {
            if let attributes = try? FileManager.default.attributesOfItem(atPath: path) {
                size = (attributes[.size] as? NSNumber)?.intValue ?? 0
            } else if !FileManager.default.createFile(atPath: path, contents: nil) {
                throw .unexpected("the folder cannot be written")
            }
        }
        state = Mutex(State(size: size, share: share))
    }

    /// Bytes so far.
    var size: Int { state.withLock(\.size) }

    func append(_ chunk: [UInt8]) throws(StorageFailure) {
        if let path {
            do {
                guard let file = FileHandle(forWritingAtPath: path) else {
                    throw StorageFailure.unexpected("the folder cannot be written")
                }
                defer { try? file.close() }
                try file.seek(toOffset: UInt64(size))
                try file.write(contentsOf: chunk)
            } catch {
                throw .unexpected("the folder cannot be written")
            }
            state.withLock { $0.size += chunk.count }
        } else {
            try state.withLock { state throws(StorageFailure) in
                try state.share.grow(by: chunk.count)
                state.bytes += chunk
                state.size += chunk.count
            }
        }
    }

    /// MD5 of the bytes, in hexadecimal.
    func entityTag() throws(StorageFailure) -> String {
        var digest = Insecure.MD5()
        guard let path else {
            digest.update(data: state.withLock(\.bytes))
            return Hexadecimal.encode(digest.finalize())
        }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            while let chunk = try file.read(upToCount: Self.chunkLength), !chunk.isEmpty {
                digest.update(data: chunk)
            }
        } catch {
            throw .unexpected("the folder cannot be read")
        }
        return Hexadecimal.encode(digest.finalize())
    }

    /// All of the bytes as the content of an object; in a file, under a second name.
    func content(at target: String?) throws(StorageFailure) -> StoredContent {
        let (bytes, share) = state.withLock { ($0.bytes, $0.share) }
        guard let path, let target else { return StoredContent(bytes, share) }
        do {
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.linkItem(atPath: path, toPath: target)
        } catch {
            throw .unexpected("the folder cannot be written")
        }
        return StoredContent(ContentFile(path: target, size: size, isKept: false), share)
    }

    /// Discards the bytes, and gives back what they take in memory; the number of them stays.
    func discard(_ empty: MemoryBudget.Share) {
        state.withLock { state in
            state.bytes = []
            state.share = empty
        }
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }
}
