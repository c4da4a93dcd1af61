/// The four bytes with which a client's payload is combined by exclusive or (RFC 6455 section 5.3).
struct WebSocketMask: Equatable {
    /// The bytes in the order of the wire, the first in the lowest place; turned as payload passes.
    private var key: UInt32

    /// Makes a mask of what a header has, read in network order.
    init(networkOrder bytes: UInt32) { key = bytes.byteSwapped }

    /// The value for a header, to be written in network order.
    var networkOrder: UInt32 { key.byteSwapped }

    /// Copies payload while masking or unmasking it, eight bytes at a time, and turns the mask to where it goes on.
    ///
    /// - Parameters:
    ///   - source: The payload.
    ///   - target: Room for as many bytes, elsewhere or in the same place.
    @unsafe mutating func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        guard let start = source.baseAddress else { return }
        let count = source.count
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index + 8 <= count {
            let word = UInt64(
                littleEndian: unsafe start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
            unsafe target.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            let byte = unsafe start.loadUnaligned(fromByteOffset: index, as: UInt8.self)
            unsafe target.storeBytes(of: byte ^ UInt8(key & 0xFF), toByteOffset: index, as: UInt8.self)
            key = key >> 8 | key << 24
            index += 1
        }
    }
}
