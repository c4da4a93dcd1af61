package import NIOCore

/// Receive buffers whose size follows what comes, and which no connection keeps between reads.
///
/// NIO uses the buffer of one read for the next one too when it knows that one's size. A connection that was busy
/// once would hold its largest buffer for as long as it lives. Large ones come from ``FrameStorage/received`` instead.
package struct TransientBuffers: RecvByteBufferAllocator {
    private var sizes: AdaptiveRecvByteBufferAllocator

    package init(initial: Int, maximum: Int) {
        sizes = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: initial, maximum: maximum)
    }

    package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        guard let size = sizes.nextBufferSize() else { return sizes.buffer(allocator: allocator) }
        return FrameStorage.received.buffer(capacity: size, allocator: allocator)
    }

    package mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        // NIO asks for a new buffer. Otherwise it uses its first one again, whose size was that of the first read.
        return true
    }
}
