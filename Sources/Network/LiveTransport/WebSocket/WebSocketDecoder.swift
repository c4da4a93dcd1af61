import NIOCore
import Transport

/// Turns the bytes of one direction of a WebSocket into messages and control frames (RFC 6455 section 5).
///
/// A value without input or output of its own. Memory is bounded by the message limit: a frame's length is judged
/// before its payload is stored, and room is made only for a multiple of what has come.
struct WebSocketDecoder {
    /// What was read.
    enum Item: Equatable {
        /// Valid UTF-8.
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        /// Code 1005 stands for a close frame without a code.
        case close(WebSocketClose)
    }

    /// Why the connection has to be failed, with the code to send.
    struct Violation: Error, Equatable {
        var close: WebSocketClose

        init(_ code: UInt16, _ reason: String) { close = WebSocketClose(code: code, reason: reason) }
        init(_ close: WebSocketClose) { self.close = close }
    }

    private let expectsMask: Bool
    private let limits: WebSocketLimits
    /// The frame that is being read.
    private var frame: WebSocketFrameHeader?
    private var control: [UInt8] = []
    private var message: [UInt8] = []
    private var messageOpcode: WebSocketFrameHeader.Opcode?
    private var validator = UTF8Validator()

    /// Makes a decoder at the start of a connection.
    ///
    /// - Parameters:
    ///   - expectsMask: Whether the sender is a client, whose frames must be masked; a server's must not.
    ///   - limits: Of which the size of one whole message counts.
    init(expectsMask: Bool, limits: WebSocketLimits) {
        self.expectsMask = expectsMask
        self.limits = limits
    }

    /// Reads as far as the next item, or returns `nil` when more bytes are needed.
    mutating func next(from buffer: inout ByteBuffer) throws(Violation) -> Item? {
        while true {
            if frame == nil {
                guard let header = try WebSocketFrameHeader(from: &buffer) else { return nil }
                try admit(header)
                frame = header
            }
            guard let header = frame else { return nil }
            try readPayload(of: header, from: &buffer)
            guard let header = frame, header.length == 0 else { return nil }
            frame = nil
            if let item = try finish(header) { return item }
        }
    }

    private mutating func admit(_ header: WebSocketFrameHeader) throws(Violation) {
        if (header.mask != nil) != expectsMask {
            throw Violation(1002, expectsMask ? "frame is not masked" : "frame is masked")
        }
        switch header.opcode {
        case .ping, .pong, .close: return
        case .continuation:
            if messageOpcode == nil { throw Violation(1002, "continuation without a message") }
        case .text, .binary:
            if messageOpcode != nil { throw Violation(1002, "message begun inside a message") }
            messageOpcode = header.opcode
            validator = UTF8Validator()
        }
        let (size, overflows) = message.count.addingReportingOverflow(header.length)
        if let refusal = limits.refusal(ofMessageOf: overflows ? .max : size) { throw Violation(refusal) }
    }

    /// Whether these bytes go on with a message, and not with a control frame; not while nothing has come.
    ///
    /// The opcodes of control frames have the highest of four bits set (RFC 6455 section 5.5).
    func isAtMessage(before buffer: ByteBuffer) -> Bool {
        if let frame { return !frame.opcode.isControl }
        guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return false }
        return first & 0x08 == 0
    }

    /// Bytes of the storage of what is not whole.
    var storedBytes: Int { message.capacity + control.capacity }

    /// Gives up the message that is not whole.
    ///
    /// Only where no message is delivered any more: what follows of it is read, and makes no whole one.
    mutating func forget() { message = [] }

    /// Gives up all that is not whole: nothing more is read.
    mutating func end() { (message, control) = ([], []) }

    // MARK: Payload

    private mutating func readPayload(
        of header: WebSocketFrameHeader,
        from buffer: inout ByteBuffer
    ) throws(Violation) {
        let count = min(header.length, buffer.readableBytes)
        guard count > 0 else { return }
        var header = header
        if header.opcode.isControl {
            Self.append(count, from: &buffer, to: &control, &header)
        } else {
            makeRoom(for: count, of: header.length)
            var rest = count
            while rest > 0 {
                let piece = min(rest, Self.pieceBytes)
                let start = message.count
                Self.append(piece, from: &buffer, to: &message, &header)
                try validateText(from: start)
                rest -= piece
            }
        }
        frame = header
    }

    /// Bytes that are still in the processor's nearest cache when they are validated.
    private static let pieceBytes = 16 * 1024

    /// Has text fail with the byte that makes it invalid, not at its end.
    private mutating func validateText(from start: Int) throws(Violation) {
        guard messageOpcode == .text else { return }
        var validator = validator
        guard unsafe validator.read(message.span.extracting(start...).bytes) else {
            throw Violation(1007, "text is not UTF-8")
        }
        self.validator = validator
    }

    /// Makes room for the whole frame once an eighth of it has come, and twice the room before.
    private mutating func makeRoom(for count: Int, of length: Int) {
        let needed = message.count + count
        guard message.capacity < needed else { return }
        let whole = length / 8 <= needed ? message.count + length : needed
        message.reserveCapacity(max(whole, min(message.capacity * 2, limits.messageBytes)))
    }

    private static func append(
        _ count: Int,
        from buffer: inout ByteBuffer,
        to bytes: inout [UInt8],
        _ header: inout WebSocketFrameHeader
    ) {
        let mask = header.mask
        header.length -= count
        header.mask = unsafe buffer.readWithUnsafeReadableBytes { readable in
            let source = unsafe UnsafeRawBufferPointer(rebasing: readable[..<count])
            var mask = mask
            bytes.append(addingCapacity: count) { output in
                unsafe output.withUnsafeMutableBufferPointer { room, filled in
                    // The room is as large as was asked for.
                    guard let start = room.baseAddress else { return }
                    let target = unsafe UnsafeMutableRawPointer(start + filled)
                    if mask == nil {
                        unsafe target.copyMemory(
                            from: readable.baseAddress ?? UnsafeRawPointer(target),
                            byteCount: count
                        )
                    } else {
                        unsafe mask?.copy(source, to: target)
                    }
                    filled += count
                }
            }
            return (count, mask)
        }
    }

    // MARK: Items

    private mutating func finish(_ header: WebSocketFrameHeader) throws(Violation) -> Item? {
        switch header.opcode {
        case .ping: return .ping(takeControl())
        case .pong: return .pong(takeControl())
        case .close: return .close(try Self.close(takeControl()))
        case .text, .binary, .continuation: break
        }
        guard header.isFinal else { return nil }
        let whole = message
        let isText = messageOpcode == .text
        message = []
        messageOpcode = nil
        guard isText else { return .binary(whole) }
        if !validator.isComplete { throw Violation(1007, "text ends inside a character") }
        return .text(whole)
    }

    private mutating func takeControl() -> [UInt8] {
        defer { control = [] }
        return control
    }

    /// Reads the payload of a close frame (RFC 6455 sections 5.5.1 and 7.4).
    private static func close(_ payload: [UInt8]) throws(Violation) -> WebSocketClose {
        if payload.isEmpty { return WebSocketClose(code: 1005) }
        guard payload.count >= 2 else { throw Violation(1002, "close frame of one byte") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketClose.mayBeSent(code) else {
            throw Violation(1002, "close code \(code) may not be sent")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation(1007, "close reason is not UTF-8")
        }
        return WebSocketClose(code: code, reason: reason)
    }
}
