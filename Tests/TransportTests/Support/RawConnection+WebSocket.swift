import Crypto
import Foundation

extension RawConnection {
    /// Reads a client's handshake and accepts it.
    ///
    /// - Parameters:
    ///   - fields: Further lines of the answer's head, each with its line end.
    ///   - before: What is sent before the answer.
    func acceptWebSocket(_ fields: String = "", after before: String = "") async throws {
        let request = await read(through: "\r\n\r\n")
        let lines = request.split(separator: "\r\n")
        let key = lines.first { $0.lowercased().hasPrefix("sec-websocket-key: ") }?.dropFirst(19) ?? ""
        // RFC 6455 section 4.2.2.
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        try await send(
            "\(before)HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(Data(digest).base64EncodedString())\r\n\(fields)\r\n"
        )
    }
}

extension RawConnection {
    /// Asks a server for a WebSocket, and reads its answer.
    func openWebSocket() async throws {
        try await send(
            "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        _ = await read(through: "\r\n\r\n")
    }

    /// Sends a frame of at least 126 bytes, or the first `count` bytes of its payload; masked with zeros.
    func sendFrame(_ first: UInt8, _ count: Int, of length: Int? = nil) async throws {
        let bytes = length ?? count
        let (form, width): (UInt8, Int) = bytes < 65_536 ? (0xFE, 2) : (0xFF, 8)
        let size = (1...width).map { UInt8(truncatingIfNeeded: bytes >> (8 * (width - $0))) }
        try await send([first, form] + size + [UInt8](repeating: 0, count: 4 + count))
    }

    /// Sends a ping twice, and returns the first bytes of what comes for each; `nil` where nothing does.
    ///
    /// The second is looked at after all that the first and everything before it gave the peer's event loop to do.
    func pingTwice() async -> [UInt8?] {
        var answers: [UInt8?] = []
        for _ in 0..<2 {
            // The peer may have closed.
            try? await send([0x89, 0x80, 0, 0, 0, 0])
            answers.append(await readFrame()?.first)
        }
        return answers
    }
}
