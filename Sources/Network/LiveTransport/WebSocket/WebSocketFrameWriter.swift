import NIOCore
import Transport

/// Writes whole WebSocket frames, masked when the sender is a client (RFC 6455 section 5.3).
struct WebSocketFrameWriter {
    let masks: Bool

    /// A frame with all of a message in it.
    func frame(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ payload: some Collection<UInt8>,
        allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        let count = payload.count
        var frame = allocator.buffer(capacity: count + 14)
        let maskBit: UInt8 = masks ? 0x80 : 0
        frame.writeInteger(0x80 | opcode.rawValue)
        switch count {
        case ...125: frame.writeInteger(maskBit | UInt8(count))
        case ...65_535:
            frame.writeInteger(maskBit | 126)
            frame.writeInteger(UInt16(count))
        default:
            frame.writeInteger(maskBit | 127)
            frame.writeInteger(UInt64(count))
        }
        if masks {
            let mask = UInt32.random(in: .min ... .max)
            frame.writeInteger(mask)
            let start = frame.writerIndex
            frame.writeBytes(payload)
            unsafe frame.withUnsafeMutableReadableBytes { bytes in
                var index = 0
                let offset = start
                while offset + index < bytes.count {
                    let shift = UInt32(24 - 8 * (index & 3))
                    unsafe bytes[offset + index] ^= UInt8(mask >> shift & 0xFF)
                    index += 1
                }
            }
        } else {
            frame.writeBytes(payload)
        }
        return frame
    }

    /// A close frame; 1005 and 1006, which may not be sent, stand for an empty one.
    func close(_ close: WebSocketClose, allocator: ByteBufferAllocator) -> ByteBuffer {
        if close.code == 1005 || close.code == 1006 { return frame(.close, [], allocator: allocator) }
        let payload = [UInt8(close.code >> 8), UInt8(close.code & 0xFF)] + Self.reason(close.reason)
        return frame(.close, payload, allocator: allocator)
    }

    /// The reason in UTF-8, cut between characters at 123 bytes.
    private static func reason(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in text {
            let next = Array(character.utf8)
            if bytes.count + next.count > 123 { break }
            bytes += next
        }
        return bytes
    }
}
