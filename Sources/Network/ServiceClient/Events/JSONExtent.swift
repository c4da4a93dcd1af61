/// Finds where a JSON value ends while its bytes come, without reading what it says.
///
/// Looks at brackets outside of strings (RFC 8259), so that a value is read once and not again after each chunk.
struct JSONExtent {
    /// Whether every bracket that was opened has been closed.
    private(set) var isWhole = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Takes in more bytes of an object or a list, from its first bracket on, and returns how many of them belong to it.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> Int {
        var taken = 0
        for byte in bytes where !isWhole {
            taken += 1
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                count(byte)
            }
        }
        return taken
    }

    private mutating func count(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isWhole = depth <= 0
        default: break
        }
    }
}
