import Synchronization
import Transport

/// Reads a byte stream chunk by chunk from a closure.
///
/// One reader at a time, as a byte stream guarantees; the iterator is handed out and put back around each read.
final class StreamReader: Sendable {
    private let iterator: Mutex<Slot>

    private struct Slot: @unchecked Sendable {
        // Invariant that makes this Sendable: reached only inside the mutex, and used by one reader at a time.
        var iterator: ByteStream.Iterator?
    }

    init(_ stream: ByteStream) { iterator = Mutex(Slot(iterator: stream.makeAsyncIterator())) }

    func next() async throws(TransportError) -> [UInt8]? {
        guard var current = iterator.withLock({ Self.take(&$0) }).iterator else { return nil }
        let chunk = try await current.next()
        let returned = Slot(iterator: current)
        iterator.withLock { $0 = returned }
        return chunk
    }

    private static func take(_ slot: inout Slot) -> Slot {
        defer { slot.iterator = nil }
        return slot
    }
}
