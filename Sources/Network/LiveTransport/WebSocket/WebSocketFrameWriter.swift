import NIOCore
import Transport

/// Writes whole WebSocket frames, masked when the sender is a client (RFC 6455 section 5.3).
struct WebSocketFrameWriter: Sendable {
    let masks: Bool

    /// A frame with all of a message in it, copied once.
    func frame(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ payload: some Collection<UInt8>,
        allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        let count = payload.count
        var frame = FrameStorage.shared.buffer(capacity: count + 14, allocator: allocator)
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
        if masks { Self.mask(payload, count, into: &frame) } else { frame.writeBytes(payload) }
        FrameStorage.shared.keep(frame)
        return frame
    }

    private static func mask(_ payload: some Collection<UInt8>, _ count: Int, into frame: inout ByteBuffer) {
        var mask = WebSocketMask(networkOrder: .random(in: .min ... .max))
        frame.writeInteger(mask.networkOrder)
        let masked: Void? = payload.withContiguousStorageIfAvailable { bytes in
            unsafe frame.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                if let target = room.baseAddress {
                    unsafe mask.copy(UnsafeRawBufferPointer(bytes), to: target)
                }
                return count
            }
        }
        // A string may be stored in a form that has no bytes to point at.
        if masked == nil { Self.mask(Array(payload), count, after: mask, into: &frame) }
    }

    private static func mask(
        _ payload: [UInt8],
        _ count: Int,
        after mask: WebSocketMask,
        into frame: inout ByteBuffer
    ) {
        var mask = mask
        unsafe payload.withUnsafeBytes { bytes in
            _ = unsafe frame.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                if let target = room.baseAddress { unsafe mask.copy(bytes, to: target) }
                return count
            }
        }
    }

    /// A close frame.
    func close(_ close: WebSocketClose, allocator: ByteBufferAllocator) -> ByteBuffer {
        frame(.close, close.payload, allocator: allocator)
    }
}
