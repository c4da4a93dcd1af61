import Foundation
import PeerKit
import Synchronization
import Transport

/// The bytes of an object, in memory or in a file; they never change.
final class StoredContent: Sendable {
    private enum Place {
        case memory([UInt8])
        case file(String)
    }

    /// Bytes of a chunk that is read from a file.
    private static let chunkLength = 1 << 16

    let size: Int
    private let place: Place
    /// What the content and its row take of the project's memory.
    private let share: MemoryBudget.Share
    /// Of a copy in memory, what it shares the bytes with.
    private let original: StoredContent?
    private let isDiscarded = Atomic(false)

    init(_ bytes: [UInt8], _ share: MemoryBudget.Share) {
        size = bytes.count
        place = .memory(bytes)
        self.share = share
        original = nil
    }

    init(file: String, size: Int, _ share: MemoryBudget.Share) {
        self.size = size
        place = .file(file)
        self.share = share
        original = nil
    }

    /// The same bytes for another row; in a file of its own if the first are in one.
    init(copying original: StoredContent, to file: String?, _ share: MemoryBudget.Share) {
        size = original.size
        place = file.map { .file($0) } ?? original.place
        self.share = share
        self.original = file == nil ? original : nil
    }

    deinit {
        if isDiscarded.load(ordering: .relaxed), case .file(let path) = place {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// No object has the content any more; its file is deleted as soon as nobody holds it.
    ///
    /// A reader that began before the object was replaced or removed still gets all of it.
    func discard() { isDiscarded.store(true, ordering: .relaxed) }

    /// All bytes; empty when the file cannot be read.
    var bytes: [UInt8] {
        switch place {
        case .memory(let bytes): bytes
        case .file(let path): FileManager.default.contents(atPath: path).map { Array($0) } ?? []
        }
    }

    /// A part of the bytes, which streams if it lies in a file.
    ///
    /// The file is opened now, so that an object that is removed meanwhile is still read to its end.
    func body(_ range: Range<Int>) throws(StorageFailure) -> HTTPBody {
        switch place {
        case .memory(let bytes):
            return .bytes(range == bytes.indices ? bytes : Array(bytes[range]))
        case .file(let path):
            do {
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                try file.seek(toOffset: UInt64(range.lowerBound))
                let rest = Mutex(range.count)
                let stream = ByteStream { () async throws(TransportError) in
                    try rest.withLock { rest throws(TransportError) in
                        if rest == 0 { return nil }
                        let chunk = try? file.read(upToCount: min(rest, Self.chunkLength))
                        guard let chunk, !chunk.isEmpty else {
                            throw TransportError(
                                .reset,
                                operation: "send body",
                                peer: "client",
                                detail: "the object's file ended early"
                            )
                        }
                        rest -= chunk.count
                        return Array(chunk)
                    }
                }
                return .stream(stream, length: range.count)
            } catch {
                throw .unexpected("the folder cannot be read")
            }
        }
    }
}
