import Synchronization

/// Recycles pixel buffers of one shape.
///
/// Holds at most `capacity` buffers; past that it allocates fresh ones and lets them go after use.
public final class PixelBufferPool: Sendable {
    /// Width and height of every buffer.
    public let size: PixelSize
    /// How the pixels of every buffer lie in memory.
    public let layout: PixelBuffer.Layout
    private let capacity: Int
    private let buffers = Mutex<[PixelBuffer]>([])

    /// Creates an empty pool that keeps up to `capacity` buffers.
    public init(size: PixelSize, layout: PixelBuffer.Layout, capacity: Int = 4) {
        self.size = size
        self.layout = layout
        self.capacity = capacity
    }

    /// Returns a buffer that nobody else holds, with undefined contents, after `write` has filled it.
    public func makeBuffer<Failure>(
        _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> PixelBuffer {
        let buffer = takeIdle() ?? PixelBuffer(size: size, layout: layout)
        // Also when `write` throws: the memory can be reused either way.
        defer { buffers.withLock { if $0.count < capacity { $0.append(buffer) } } }
        try unsafe buffer.withMutableBytes(write)
        return buffer
    }

    /// Removes a buffer that only the pool holds, so that nobody can be reading it.
    private func takeIdle() -> PixelBuffer? {
        buffers.withLock { buffers in
            for index in buffers.indices where isKnownUniquelyReferenced(&buffers[index]) {
                return buffers.remove(at: index)
            }
            return nil
        }
    }
}
