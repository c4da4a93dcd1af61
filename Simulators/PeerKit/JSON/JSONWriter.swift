/// Writes JSON values as compact UTF-8 with sorted members.
///
/// `JSONEncoder` does the same and takes many times as long for the small messages of which a busy session is made.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .integer(let value): write(String(value))
        case .real(let value):
            precondition(value.isFinite, "a JSON value has no JSON form")
            write(value.description)
        case .string(let text): write(quoted: text)
        case .array(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(",") }
                write(value)
            }
            write("]")
        case .object(let fields):
            write("{")
            for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { write(",") }
                write(quoted: field.key)
                write(":")
                write(field.value)
            }
            write("}")
        }
    }

    private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func write(quoted text: String) {
        write("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write("\\\"")
            case UInt8(ascii: "\\"): write("\\\\")
            case 0x08: write("\\b")
            case 0x09: write("\\t")
            case 0x0A: write("\\n")
            case 0x0C: write("\\f")
            case 0x0D: write("\\r")
            case 0..<0x20: write((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        write("\"")
    }
}
