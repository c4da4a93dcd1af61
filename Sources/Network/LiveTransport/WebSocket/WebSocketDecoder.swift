import NIOCore
import Transport

/// Turns the bytes of one direction of a WebSocket into messages and control frames (RFC 6455 section 5).
///
/// A value without input or output of its own. Memory is bounded by the message limit: a frame's length is judged
/// before its payload is stored.
struct WebSocketDecoder {
    /// What was read.
    enum Item: Equatable {
        case text(String)
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
    }

    private struct Frame {
        var header: WebSocketFrameHeader
        var payload: [UInt8] = []
    }

    private let expectsMask: Bool
    private let messageLimit: Int
    private var frame: Frame?
    private var message: [UInt8] = []
    private var messageOpcode: WebSocketFrameHeader.Opcode?

    /// Makes a decoder at the start of a connection.
    ///
    /// - Parameters:
    ///   - expectsMask: Whether the sender is a client, whose frames must be masked; a server's must not.
    ///   - messageLimit: The most bytes of one whole message.
    init(expectsMask: Bool, messageLimit: Int) {
        self.expectsMask = expectsMask
        self.messageLimit = messageLimit
    }

    /// Reads as far as the next item, or returns `nil` when more bytes are needed.
    mutating func next(from buffer: inout ByteBuffer) throws(Violation) -> Item? {
        while true {
            if frame == nil {
                guard let header = try WebSocketFrameHeader(from: &buffer) else { return nil }
                try admit(header)
                frame = Frame(header: header)
            }
            guard let item = try readPayload(from: &buffer) else { return nil }
            if let item = item.finished { return item }
        }
    }

    private func admit(_ header: WebSocketFrameHeader) throws(Violation) {
        if (header.mask != nil) != expectsMask {
            throw Violation(1002, expectsMask ? "frame is not masked" : "frame is masked")
        }
        if header.opcode.isControl { return }
        if header.opcode == .continuation, messageOpcode == nil {
            throw Violation(1002, "continuation without a message")
        }
        if header.opcode != .continuation, messageOpcode != nil {
            throw Violation(1002, "message begun inside a message")
        }
        if header.length > messageLimit - message.count {
            throw Violation(1009, "message larger than \(messageLimit) bytes")
        }
    }

    /// Reads payload; `nil` means that some is missing, an unfinished step that a fragment was stored.
    private mutating func readPayload(from buffer: inout ByteBuffer) throws(Violation) -> Step? {
        guard var current = frame else { return nil }
        frame = nil
        if current.header.opcode.isControl {
            read(from: &buffer, into: &current.payload, header: &current.header)
        } else {
            read(from: &buffer, into: &message, header: &current.header)
        }
        if current.header.length > 0 {
            frame = current
            return nil
        }
        return try finish(current)
    }

    private func read(
        from buffer: inout ByteBuffer,
        into bytes: inout [UInt8],
        header: inout WebSocketFrameHeader
    ) {
        let count = min(header.length, buffer.readableBytes)
        guard count > 0 else { return }
        // Room for the whole frame at once only as far as bytes have really come.
        if bytes.isEmpty, count == header.length { bytes.reserveCapacity(count) }
        let start = bytes.count
        bytes.append(contentsOf: buffer.readableBytesView.prefix(count))
        buffer.moveReaderIndex(forwardBy: count)
        header.length -= count
        header.unmask(&bytes, from: start)
    }

    private mutating func finish(_ frame: Frame) throws(Violation) -> Step {
        switch frame.header.opcode {
        case .ping: return Step(finished: .ping(frame.payload))
        case .pong: return Step(finished: .pong(frame.payload))
        case .close: return Step(finished: .close(try Self.close(frame.payload)))
        case .text, .binary: messageOpcode = frame.header.opcode
        case .continuation: break
        }
        guard frame.header.isFinal else { return Step(finished: nil) }
        let whole = message
        let isText = messageOpcode == .text
        message = []
        messageOpcode = nil
        guard isText else { return Step(finished: .binary(whole)) }
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw Violation(1007, "text is not UTF-8")
        }
        return Step(finished: .text(text))
    }

    private struct Step {
        var finished: Item?
    }

    /// Reads the payload of a close frame (RFC 6455 sections 5.5.1 and 7.4).
    private static func close(_ payload: [UInt8]) throws(Violation) -> WebSocketClose {
        if payload.isEmpty { return WebSocketClose(code: 1005) }
        guard payload.count >= 2 else { throw Violation(1002, "close frame of one byte") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw Violation(1002, "close code \(code) may not be sent")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation(1007, "close reason is not UTF-8")
        }
        return WebSocketClose(code: code, reason: reason)
    }
}
