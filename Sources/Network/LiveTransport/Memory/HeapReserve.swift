import NIOCore

/// Memory that the C library keeps for the next messages.
///
/// glibc gives what is free at the end of a heap back to the system when it is more than 128 KiB. Once a block was freed
/// that is too large for a heap, it keeps twice as much as that one had (mallopt(3), `M_MMAP_THRESHOLD` and
/// `M_TRIM_THRESHOLD`). Without that a message of 20 KB or more is made of new pages each time, which costs more than its copy.
/// A program that sets these limits itself keeps its own.
enum HeapReserve {
    private static let isKept: Bool = {
        // Twice as much are kept, in each heap.
        let block = ByteBufferAllocator().buffer(capacity: 1024 * 1024)
        return block.capacity > 0
    }()

    /// Has the library keep memory from now on.
    static func keep() { precondition(isKept, "a buffer has room") }
}
