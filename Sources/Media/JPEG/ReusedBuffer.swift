/// Bytes that are allocated when more are needed than ever before, and otherwise used again.
@safe
final class ReusedBuffer {
    private var storage: UnsafeMutableRawBufferPointer
    /// How many of the bytes hold something; set by the writer.
    var count = 0
    /// How often memory was allocated; constant in a steady stream.
    private(set) var growths = 0

    init() { unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { unsafe storage.deallocate() }

    /// Returns room for at least `capacity` bytes; the contents are lost when it must grow.
    func reserve(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
        if unsafe capacity > storage.count {
            unsafe storage.deallocate()
            unsafe storage = .allocate(byteCount: capacity, alignment: 64)
            growths += 1
        }
        return unsafe storage
    }

    /// The bytes that hold something; valid until the next ``reserve(_:)``.
    var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: storage[..<count]) }
}
