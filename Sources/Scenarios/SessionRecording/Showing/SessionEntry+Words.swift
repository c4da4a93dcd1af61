internal import Foundation
internal import Simulation

extension SessionEntry {
    /// What it says, in one line that may be long; control characters are in it as they were recorded.
    ///
    /// - Parameter number: Writes a number of bytes.
    public func words(_ number: (Int) -> String) -> String {
        switch content {
        case .message(let message, _):
            switch message.kind {
            case .head: Self.text(of: message.bytes)
            case .end: "done"
            case .ping: "ping"
            case .failure: "failed: \(message.failure.map { "\($0)" } ?? "")"
            case .close: "close \(Self.text(of: message.bytes))"
            case .body, .text, .binary, .datagram:
                "\(message.kind.rawValue), \(number(byteCount)) bytes \(Self.text(of: message.bytes))"
            }
        case .capture(let look): look.sequence.map { "frame \($0)" } ?? "no frame"
        case .screen(let screen):
            "\(screen.kind.rawValue), \(number(byteCount)) bytes \(screen.json)"
        case .event(let event): "\(event.kind) \(event.detail)"
        }
    }

    /// All that it says, piece by piece, each of one line or more: JSON with a member a line, other text as it is, and bytes in hexadecimal digits.
    public func forEachPiece(_ body: (String) -> Void) {
        switch content {
        case .message(let message, _): Self.pieces(of: message.bytes, body)
        case .capture(let look):
            guard let sequence = look.sequence else { return body("there was no frame") }
            let own = String(format: "%.6f s", Double(look.timestamp) / 1e9)
            body("frame \(sequence), at \(own) of the camera's time, hash \(String(look.hash, radix: 16))")
        case .screen(let screen): Self.pieces(of: Array(screen.json.utf8), body)
        case .event(let event): body(event.detail)
        }
    }

    /// The same as one text.
    public var text: String {
        var pieces: [String] = []
        forEachPiece { pieces.append($0) }
        return pieces.joined(separator: "\n")
    }

    private static func pieces(of bytes: [UInt8], _ body: (String) -> Void) {
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
        ]
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)),
            let pretty = try? JSONSerialization.data(withJSONObject: object, options: options)
        {
            return body(String(decoding: pretty, as: UTF8.self))
        }
        if let text = String(validating: bytes, as: UTF8.self) { return body(text) }
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let row = bytes[start..<min(start + 16, bytes.count)]
            let digits = row.map { String(format: "%02x", $0) }.joined(separator: " ")
            let letters = String(
                row.map { (0x20...0x7e).contains($0) ? Character(UnicodeScalar($0)) : "·" }
            )
            let gap = String(repeating: " ", count: 47 - digits.count)
            body("\(String(format: "%08x", start))  \(digits)\(gap)  \(letters)")
        }
    }

    /// Text, or nothing of bytes that are none.
    private static func text(of bytes: [UInt8]) -> String {
        // An excerpt may end within a character.
        let texts = (0..<min(4, bytes.count + 1)).lazy.compactMap {
            String(validating: bytes.dropLast($0), as: UTF8.self)
        }
        return texts.first ?? ""
    }
}
