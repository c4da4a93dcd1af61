import Foundation
import Synchronization
package import Transport

/// Bytes in a file, which never change.
///
/// A file that nothing keeps is deleted once its last holder is gone; a reader that began before still gets all of it.
package final class ContentFile: Sendable {
    /// A file cannot be read or written.
    package struct Unusable: Error, Sendable, CustomStringConvertible {
        /// What was tried on which file, and what the system says.
        package let description: String

        init(_ verb: String, _ path: String, _ error: any Error) {
            description = "cannot \(verb) \(path): \(error)"
        }
    }

    private enum Fate: UInt8, AtomicRepresentable {
        /// It was written, and nothing refers to it yet.
        case pending
        case kept
        case discarded
    }

    /// Where the file is.
    package let path: String
    /// Bytes of it.
    package let size: Int
    private let fate: Atomic<Fate>

    /// Describes a file that is there.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - size: Bytes of it.
    ///   - isKept: Whether something durable refers to it already.
    package init(path: String, size: Int, isKept: Bool) {
        self.path = path
        self.size = size
        fate = Atomic(isKept ? .kept : .pending)
    }

    deinit {
        if fate.load(ordering: .acquiring) != .kept { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Leaves the file to what refers to it, unless it has been discarded already.
    package func keep() {
        _ = fate.compareExchange(expected: .pending, desired: .kept, ordering: .acquiringAndReleasing)
    }

    /// Nothing refers to the bytes any more; the file is deleted as soon as nobody holds them.
    package func discard() { fate.store(.discarded, ordering: .releasing) }

    /// All bytes.
    ///
    /// - Throws: ``Unusable``.
    package func bytes() throws(Unusable) -> [UInt8] {
        do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
            throw Unusable("read", path, error)
        }
    }

    /// Opens the file to read a part of it, from its beginning.
    ///
    /// - Throws: ``Unusable``.
    package func reader(_ range: Range<Int>) throws(Unusable) -> Reader { try Reader(self, range) }

    /// Reads a part of the bytes once, a chunk at a time.
    ///
    /// The file is open: its bytes stay for the reader, also when its name is deleted.
    package final class Reader: Sendable {
        /// Bytes of the longest chunk.
        package static let chunkLength = 1 << 16

        private let path: String
        private let file: FileHandle
        private let rest: Mutex<Int>

        fileprivate init(_ content: ContentFile, _ range: Range<Int>) throws(Unusable) {
            path = content.path
            do {
                file = try FileHandle(forReadingFrom: URL(filePath: content.path))
                try file.seek(toOffset: UInt64(range.lowerBound))
            } catch { throw Unusable("read", path, error) }
            rest = Mutex(range.count)
        }

        /// The next bytes, or `nil` at the end.
        ///
        /// - Throws: ``ContentFile/Unusable``, also where the file ends early.
        package func next() throws(Unusable) -> [UInt8]? {
            try rest.withLock { rest throws(Unusable) in
                if rest == 0 { return nil }
                let chunk: Data?
                do { chunk = try file.read(upToCount: min(rest, Self.chunkLength)) } catch {
                    throw Unusable("read", path, error)
                }
                guard let chunk, !chunk.isEmpty else {
                    throw Unusable("read", path, CocoaError(.fileReadCorruptFile))
                }
                rest -= chunk.count
                return Array(chunk)
            }
        }

        /// The bytes as a part of a body.
        package func nextOfBody() throws(TransportError) -> [UInt8]? {
            do { return try next() } catch {
                throw TransportError(.reset, operation: "send body", peer: "client", detail: "\(error)")
            }
        }
    }
}
