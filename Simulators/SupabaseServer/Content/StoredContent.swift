import PeerKit
import Synchronization
import Transport

/// The bytes of an object, in memory or in a file; they never change.
final class StoredContent: Sendable {
    private enum Place {
        case memory([UInt8])
        case file(ContentFile)
    }

    let size: Int
    private let place: Place
    /// What the content and its row take of the project's memory.
    private let share: MemoryBudget.Share
    /// Of a copy in memory, what it shares the bytes with.
    private let original: StoredContent?

    init(_ bytes: [UInt8], _ share: MemoryBudget.Share) {
        size = bytes.count
        place = .memory(bytes)
        self.share = share
        original = nil
    }

    init(_ file: ContentFile, _ share: MemoryBudget.Share) {
        size = file.size
        place = .file(file)
        self.share = share
        original = nil
    }

    /// The same bytes for another row; in a file of its own if the first are in one.
    init(copying original: StoredContent, to file: String?, _ share: MemoryBudget.Share) {
        size = original.size
        place =
            file.map { .file(ContentFile(path: $0, size: original.size, isKept: false)) } ?? original.place
        self.share = share
        self.original = file == nil ? original : nil
    }

    /// The file that has the bytes; `nil` where they are in memory.
    var file: ContentFile? {
        if case .file(let file) = place { file } else { nil }
    }

    /// An object has the content.
    func keep() { file?.keep() }

    /// No object has the content any more; its file is deleted as soon as nobody holds it.
    ///
    /// A reader that began before the object was replaced or removed still gets all of it.
    func discard() { file?.discard() }

    /// All bytes; empty when the file cannot be read.
    var bytes: [UInt8] {
        switch place {
        case .memory(let bytes): bytes
        case .file(let file): (try? file.bytes()) ?? []
        }
    }

    /// A part of the bytes, which streams if it lies in a file.
    func body(_ range: Range<Int>) throws(StorageFailure) -> HTTPBody {
        switch place {
        case .memory(let bytes):
            return .bytes(range == bytes.indices ? bytes : Array(bytes[range]))
        case .file(let file):
            let reader: ContentFile.Reader
            do { reader = try file.reader(range) } catch { throw .unexpected("the folder cannot be read") }
            let stream = ByteStream { () async throws(TransportError) in try reader.nextOfBody() }
            return .stream(stream, length: range.count)
        }
    }
}
