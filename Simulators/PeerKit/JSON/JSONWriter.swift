/// Writes JSON values as compact UTF-8 with sorted members.
///
/// `JSONEncoder` does the same and takes many times as long for the small messages of which a busy session is made.
///
/// What is written often is written without values: from parts that are JSON already, texts and numbers, in the order of members.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []

    /// Has room for a small message.
    package init() { bytes.reserveCapacity(512) }

    /// Goes on after bytes that were written before.
    package init(after bytes: [UInt8]) { self.bytes = bytes }

    /// Makes room for so many bytes altogether.
    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Writes the name of the next member of the object that was begun; its value has to follow.
    ///
    /// - Parameter name: One without characters that JSON escapes.
    package mutating func member(_ name: StaticString) {
        append(bytes.last == UInt8(ascii: "{") ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    /// Writes a whole number.
    package mutating func write(_ value: Int) {
        guard value >= 0 else { return bytes.append(contentsOf: String(value).utf8) }
        if value >= 10 { write(value / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// Writes what is JSON already, or stands around it.
    package mutating func append(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Writes a value with its members in order.
    package mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): write(value)
        case .real(let value):
            precondition(value.isFinite, "a JSON value has no JSON form")
            bytes.append(contentsOf: value.description.utf8)
        case .string(let text): write(quoted: text)
        case .array(let values):
            append("[")
            for (index, value) in values.enumerated() {
                if index > 0 { append(",") }
                write(value)
            }
            append("]")
        case .object(let fields):
            append("{")
            // Places are sorted and not the members themselves, whose references would be counted each time one moves.
            let places = fields.indices.sorted { fields[$0].key < fields[$1].key }
            for (index, place) in places.enumerated() {
                if index > 0 { append(",") }
                write(quoted: fields[place].key)
                append(":")
                write(fields[place].value)
            }
            append("}")
        }
    }

    /// Writes what is JSON already, or stands around it.
    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a text.
    package mutating func write(quoted text: String) {
        append("\"")
        var text = text
        text.withUTF8 { utf8 in
            let raw = UnsafeRawBufferPointer(utf8)
            var place = 0
            while true {
                let end = unsafe JSONText.endOfPlain(in: raw, from: place)
                unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[place..<end]))
                guard end < raw.count else { break }
                unsafe write(escaped: raw[end])
                place = end + 1
            }
        }
        append("\"")
    }

    private mutating func write(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
