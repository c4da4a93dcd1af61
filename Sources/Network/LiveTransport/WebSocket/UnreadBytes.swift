package import NIOCore

/// Bytes that came from a socket and were not decoded yet.
///
/// What waits while the reader has no room stays in the buffers in which it came, uncopied. What was decoded is
/// forgotten before more is added: a `ByteBuffer` alone keeps it until the last byte is read, which a
/// peer that always leaves the first byte of its next frame would put off forever.
package struct UnreadBytes {
    /// The oldest bytes, from which to decode.
    package var buffer = ByteBuffer()
    private var later = CircularBuffer<ByteBuffer>()

    package init() {}

    /// Adds what came from the socket; ``advance()`` brings it to ``buffer``.
    package mutating func append(_ bytes: ByteBuffer) { later.append(bytes) }

    /// Adds the next bytes to ``buffer``, without a copy when everything before was decoded; returns whether there were any.
    package mutating func advance() -> Bool {
        guard let next = later.popFirst() else { return false }
        if buffer.readableBytes == 0 {
            buffer = next
        } else {
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(next)
        }
        return true
    }

    /// Gives up storage that what is left does not need: a byte can hold the whole buffer that it came in.
    package mutating func compact() {
        let count = buffer.readableBytes
        if count == 0 {
            buffer = ByteBuffer()
        } else if count <= buffer.storageCapacity / 8 {
            buffer = ByteBuffer(bytes: buffer.readableBytesView)
        }
    }

    /// Gives up the storage.
    package mutating func clear() {
        buffer = ByteBuffer()
        later.removeAll()
    }

    package var isEmpty: Bool { buffer.readableBytes == 0 && later.isEmpty }

    /// Bytes of the storage.
    var storedBytes: Int {
        let first = buffer.readableBytes == 0 ? 0 : buffer.storageCapacity
        return later.reduce(first) { $0 + $1.storageCapacity }
    }
}
