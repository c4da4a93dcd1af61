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
        var (frame, mask) = head(opcode, payload.count, allocator)
        let written: Void? = payload.withContiguousStorageIfAvailable { bytes in
            unsafe Self.append(UnsafeRawBufferPointer(bytes), &mask, to: &frame)
        }
        // A string may be stored in a form that has no bytes to point at.
        if written == nil {
            unsafe Array(payload).withUnsafeBytes { unsafe Self.append($0, &mask, to: &frame) }
        }
        FrameStorage.sent.keep(frame)
        return frame
    }

    /// The same in pieces for the handler next to the socket, each with memory of its own, which is free once it was taken.
    func pieces(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ payload: some Collection<UInt8>,
        allocator: ByteBufferAllocator
    ) -> [ByteBuffer] {
        if payload.count + 14 <= ConnectionEdge.pieceBytes {
            return [frame(opcode, payload, allocator: allocator)]
        }
        var (piece, mask) = head(opcode, payload.count, allocator, capacity: ConnectionEdge.pieceBytes)
        var pieces: [ByteBuffer] = []
        func cut(_ bytes: UnsafeRawBufferPointer) {
            var start = 0
            while start < bytes.count {
                let end = min(start + ConnectionEdge.pieceBytes - piece.readableBytes, bytes.count)
                unsafe Self.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), &mask, to: &piece)
                start = end
                FrameStorage.sent.keep(piece)
                pieces.append(piece)
                piece = FrameStorage.sent.buffer(
                    capacity: min(bytes.count - start, ConnectionEdge.pieceBytes),
                    allocator: allocator
                )
            }
        }
        let written: Void? = payload.withContiguousStorageIfAvailable { bytes in
            unsafe cut(UnsafeRawBufferPointer(bytes))
        }
        // As in a frame.
        if written == nil { unsafe Array(payload).withUnsafeBytes { unsafe cut($0) } }
        return pieces
    }

    /// A frame with a text in it, copied once; `nil` where the bytes are not UTF-8.
    func textFrame(_ utf8: [UInt8], allocator: ByteBufferAllocator) -> ByteBuffer? {
        var (frame, mask) = head(.text, utf8.count, allocator)
        var validator = UTF8Validator()
        let isValid = unsafe utf8.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(start + Self.pieceBytes, bytes.count)
                guard unsafe validator.read(utf8.span.extracting(start..<end).bytes) else { return false }
                unsafe Self.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), &mask, to: &frame)
                start = end
            }
            return validator.isComplete
        }
        FrameStorage.sent.keep(frame)
        return isValid ? frame : nil
    }

    /// A close frame.
    func close(_ close: WebSocketClose, allocator: ByteBufferAllocator) -> ByteBuffer {
        frame(.close, close.payload, allocator: allocator)
    }

    /// Bytes that are still in the processor's nearest cache when they are copied.
    private static let pieceBytes = 16 * 1024

    /// A frame up to its payload, with room for it, and the mask that is written in it.
    private func head(
        _ opcode: WebSocketFrameHeader.Opcode,
        _ count: Int,
        _ allocator: ByteBufferAllocator,
        capacity: Int? = nil
    ) -> (frame: ByteBuffer, mask: WebSocketMask?) {
        var frame = FrameStorage.sent.buffer(capacity: capacity ?? count + 14, allocator: allocator)
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
        guard masks else { return (frame, nil) }
        let mask = WebSocketMask(networkOrder: .random(in: .min ... .max))
        frame.writeInteger(mask.networkOrder)
        return (frame, mask)
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer,
        _ mask: inout WebSocketMask?,
        to frame: inout ByteBuffer
    ) {
        guard mask != nil else {
            unsafe frame.writeBytes(bytes)
            return
        }
        _ = unsafe frame.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { room in
            if let target = room.baseAddress { unsafe mask?.copy(bytes, to: target) }
            return bytes.count
        }
    }
}
