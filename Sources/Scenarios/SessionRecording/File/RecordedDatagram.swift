import Transport

/// A datagram as it stands in a recording: a line that says where it went or came from, and what it says or its bytes.
enum RecordedDatagram {
    private static let newline = UInt8(ascii: "\n")

    // MARK: Sent

    static func sent(_ statement: [UInt8], to destination: String) -> [UInt8] {
        Array("to \(destination)".utf8) + [newline] + statement
    }

    // MARK: Received

    /// - Parameter isLast: Whether nothing more came with the same call.
    static func received(_ datagram: Datagram, isLast: Bool) -> [UInt8] {
        let words = [
            isLast ? "last" : "more", "\(datagram.source)", datagram.destination.map { "\($0)" } ?? "-",
            datagram.interface ?? "-",
        ]
        return Array(words.joined(separator: " ").utf8) + [newline] + datagram.bytes
    }

    /// Reads what ``received(_:isLast:)`` has written; `nil` for anything else.
    static func received(_ bytes: [UInt8]) -> (datagram: Datagram, isLast: Bool)? {
        guard let end = bytes.firstIndex(of: newline), end <= mostOfLine,
            bytes.count - end - 1 <= Datagram.mostBytes
        else { return nil }
        // The name of an interface may have blanks.
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[0] == "last" || words[0] == "more",
            let source = Endpoint(String(words[1]))
        else { return nil }
        let destination = IPAddress(String(words[2]))
        guard destination != nil || words[2] == "-" else { return nil }
        let datagram = Datagram(
            bytes: Array(bytes[(end + 1)...]),
            source: source,
            destination: destination,
            interface: words[3] == "-" ? nil : String(words[3])
        )
        return (datagram, words[0] == "last")
    }

    /// Two addresses with zones and a name.
    private static let mostOfLine = 512

    // MARK: What was done

    /// The number of an operation before what came of it.
    static func outcome(of operation: Int, _ bytes: [UInt8] = []) -> [UInt8] {
        Array("\(operation) ".utf8) + bytes
    }

    /// Reads what ``outcome(of:_:)`` has written; `nil` for anything else.
    static func outcome(_ bytes: [UInt8]) -> (operation: Int, bytes: [UInt8])? {
        guard let blank = bytes.prefix(20).firstIndex(of: UInt8(ascii: " ")),
            let operation = Int(String(decoding: bytes[..<blank], as: UTF8.self)), operation >= 0
        else { return nil }
        return (operation, Array(bytes[(blank + 1)...]))
    }
}
