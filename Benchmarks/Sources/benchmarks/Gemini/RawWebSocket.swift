import Foundation

/// A WebSocket client with blocking calls that sends messages as they were prepared: what it costs is copying.
struct RawWebSocket {
    private struct Failed: Error { var reason: String }

    private let socket: RawSocket
    /// What was read and not yet taken.
    private var unread: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects, and ends the handshake.
    init(_ port: UInt16, path: String) throws {
        socket = try RawSocket(.stream)
        try socket.connect(to: port)
        socket.limitWaiting(seconds: 60)
        let request = """
            GET \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            \r

            """
        guard socket.write(Array(request.utf8)[...]) else { throw Failed(reason: "no handshake") }
        let end = Array("\r\n\r\n".utf8)
        var head: Range<Int>?
        while head == nil {
            try read()
            head = unread.firstRange(of: end)
        }
        let answer = String(decoding: unread[..<(head?.upperBound ?? 0)], as: UTF8.self)
        guard answer.hasPrefix("HTTP/1.1 101 ") else { throw Failed(reason: answer) }
        unread.removeFirst(head?.upperBound ?? 0)
    }

    /// A message of text as it goes over the wire (RFC 6455 section 5.2), masked as a client's has to be.
    static func prepared(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        var message: [UInt8] = [0x81]
        switch payload.count {
        case ..<126: message.append(0x80 | UInt8(payload.count))
        case ..<65_536: message += [0x80 | 126] + bigEndian(payload.count, bytes: 2)
        default: message += [0x80 | 127] + bigEndian(payload.count, bytes: 8)
        }
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        message += mask
        for (index, byte) in payload.enumerated() { message.append(byte ^ mask[index % 4]) }
        return message
    }

    private static func bigEndian(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
    }

    /// Sends a prepared message.
    func send(_ message: [UInt8]) throws {
        guard socket.write(message[...]) else { throw Failed(reason: "a message was not taken") }
    }

    /// Waits for a message that contains a text; others are skipped.
    mutating func await(_ text: String) throws {
        let text = Array(text.utf8)
        while true {
            let message = try receive()
            if message.opcode == 8 {
                throw Failed(
                    reason: "closed: \(String(decoding: message.payload.dropFirst(2), as: UTF8.self))"
                )
            }
            if message.payload.firstRange(of: text) != nil { return }
        }
    }

    private mutating func receive() throws -> (opcode: UInt8, payload: [UInt8]) {
        while true {
            if let size = frameSize, unread.count >= size.head + size.payload {
                let payload = Array(unread[size.head..<(size.head + size.payload)])
                let opcode = unread[0] & 0x0F
                unread.removeFirst(size.head + size.payload)
                return (opcode, payload)
            }
            try read()
        }
    }

    /// The sizes of the next frame, once its head is there; servers do not mask.
    private var frameSize: (head: Int, payload: Int)? {
        guard unread.count >= 2 else { return nil }
        let length = Int(unread[1] & 0x7F)
        guard length > 125 else { return (2, length) }
        let head = length == 126 ? 4 : 10
        guard unread.count >= head else { return nil }
        return (head, unread[2..<head].reduce(0) { $0 << 8 | Int($1) })
    }

    private mutating func read() throws {
        let count = socket.read(into: &buffer)
        guard count > 0 else { throw Failed(reason: "nothing comes any more") }
        unread += buffer[..<count]
    }
}
