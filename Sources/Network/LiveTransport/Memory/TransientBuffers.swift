import NIOCore

/// Receive buffers whose size follows what comes, and which are not kept between reads.
///
/// NIO keeps the buffer of the last read for the next one when it knows that one's size. A connection that was busy
/// once would hold its largest buffer for as long as it lives.
struct TransientBuffers: RecvByteBufferAllocator {
    private var sizes: AdaptiveRecvByteBufferAllocator

    init(initial: Int, maximum: Int) {
        sizes = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: initial, maximum: maximum)
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { sizes.buffer(allocator: allocator) }

    mutating func record(actualReadBytes: Int) -> Bool { sizes.record(actualReadBytes: actualReadBytes) }
}
