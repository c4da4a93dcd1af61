import NIOCore

/// The head of one WebSocket frame (RFC 6455 section 5.2).
struct WebSocketFrameHeader {
    /// The frame types that the RFC defines.
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue >= 0x8 }
    }

    var isFinal: Bool
    var opcode: Opcode
    /// Payload bytes that are still to be read.
    var length: Int
    /// The mask of what is still to be read.
    var mask: WebSocketMask?

    /// Reads a head, or returns `nil`, leaving the buffer as it is, when more bytes are needed.
    init?(from buffer: inout ByteBuffer) throws(WebSocketDecoder.Violation) {
        var peek = buffer
        guard let first = peek.readInteger(as: UInt8.self), let second = peek.readInteger(as: UInt8.self)
        else {
            return nil
        }
        if first & 0x70 != 0 { throw .init(1002, "reserved bits without an extension") }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .init(1002, "unknown frame type") }
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        let short = Int(second & 0x7F)
        if opcode.isControl, !isFinal || short > 125 {
            throw .init(1002, "control frame in fragments or larger than 125 bytes")
        }
        guard let length = try Self.length(short, from: &peek) else { return nil }
        self.length = length
        if second & 0x80 != 0 {
            guard let mask = peek.readInteger(as: UInt32.self) else { return nil }
            self.mask = WebSocketMask(networkOrder: mask)
        }
        buffer = peek
    }

    private static func length(
        _ short: Int,
        from buffer: inout ByteBuffer
    ) throws(WebSocketDecoder.Violation) -> Int? {
        let length: UInt64
        let least: UInt64
        switch short {
        case 126:
            guard let long = buffer.readInteger(as: UInt16.self) else { return nil }
            (length, least) = (UInt64(long), 126)
        case 127:
            guard let long = buffer.readInteger(as: UInt64.self) else { return nil }
            (length, least) = (long, 65_536)
        default: return short
        }
        // "The minimal number of bytes MUST be used to encode the length."
        if length < least { throw .init(1002, "length is not in its shortest form") }
        guard let known = Int(exactly: length) else { throw .init(1002, "length has its highest bit set") }
        return known
    }
}
