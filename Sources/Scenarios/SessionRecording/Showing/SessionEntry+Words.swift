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

    /// All that it says, in lines: JSON with a member a line, other text as it is, and bytes in hexadecimal digits.
    public var text: String {
        switch content {
        case .message(let message, _): Self.lines(of: message.bytes)
        case .capture: ""
        case .screen(let screen): Self.lines(of: Array(screen.json.utf8))
        case .event(let event): event.detail
        }
    }

    private static func lines(of bytes: [UInt8]) -> String {
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
        ]
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)),
            let pretty = try? JSONSerialization.data(withJSONObject: object, options: options)
        {
            return String(decoding: pretty, as: UTF8.self)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return stride(from: 0, to: bytes.count, by: 16).map { start in
            let row = bytes[start..<min(start + 16, bytes.count)]
            let digits = row.map { String(format: "%02x", $0) }.joined(separator: " ")
            let letters = String(
                row.map { (0x20...0x7e).contains($0) ? Character(UnicodeScalar($0)) : "·" }
            )
            let gap = String(repeating: " ", count: 47 - digits.count)
            return "\(String(format: "%08x", start))  \(digits)\(gap)  \(letters)"
        }
        .joined(separator: "\n")
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
