package import NIOCore
import Synchronization

/// Keeps the memory of large frames for the next ones.
///
/// Freed and allocated for every message, memory of this size goes back to the system each time, which then has to make
/// every page of it again. All connections of the process share what is kept: 4 MiB at most of what is sent, and as
/// much of what is received.
package final class FrameStorage: Sendable {
    /// For what all WebSockets send.
    static let sent = FrameStorage()
    /// For what all connections receive.
    static let received = FrameStorage()

    private static let sizes = 64 * 1024...1024 * 1024
    private static let count = 4
    /// Oldest first; the system may not have taken some of them yet.
    private let kept = Mutex<[ByteBuffer]>([])

    package init() {}

    /// An empty buffer, in memory of a frame that is gone if there is any.
    ///
    /// Its storage is as large as that of a new one: nobody reads more into it at once than it asked for.
    package func buffer(capacity: Int, allocator: ByteBufferAllocator) -> ByteBuffer {
        guard Self.sizes.contains(capacity) else { return allocator.buffer(capacity: capacity) }
        // As allocators round it up.
        let storage = 1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)
        let free: ByteBuffer? = kept.withLock { kept in
            for index in kept.indices where kept[index].storageCapacity == storage {
                // Nobody else has it: it was sent or read, or given up.
                guard kept[index].modifyIfUniquelyOwned({ $0.clear() }) != nil else { continue }
                return kept.remove(at: index)
            }
            return nil
        }
        return free ?? allocator.buffer(capacity: capacity)
    }

    /// Keeps a frame's memory, to be used again once nobody else has the frame.
    package func keep(_ frame: ByteBuffer) {
        guard Self.sizes.contains(frame.storageCapacity) else { return }
        kept.withLock { kept in
            if kept.count == Self.count { kept.removeFirst() }
            kept.append(frame)
        }
    }
}
