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
