package import NIOCore

/// Bytes that came from a socket and were not decoded yet.
///
/// What was decoded is forgotten before more is added: a `ByteBuffer` alone keeps it until the last byte is read, which a
/// peer that always leaves the first byte of its next frame would put off forever.
package struct UnreadBytes {
    package var buffer = ByteBuffer()

    package init() {}

    /// Adds what came from the socket, without a copy when everything before was decoded.
    package mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// Gives up storage that what is left does not need: a byte can hold the whole buffer that it came in.
    package mutating func compact() {
        let count = buffer.readableBytes
        if count == 0 {
            clear()
        } else if count <= buffer.storageCapacity / 8 {
            buffer = ByteBuffer(bytes: buffer.readableBytesView)
        }
    }

    /// Gives up the storage.
    package mutating func clear() { buffer = ByteBuffer() }

    package var isEmpty: Bool { buffer.readableBytes == 0 }

    /// Bytes of the storage.
    var storedBytes: Int { isEmpty ? 0 : buffer.storageCapacity }
}
