/// Keys in the order of their bytes.
///
/// `String` compares by canonical equivalence, S3 compares bytes: two ways to write “é” are two keys. A text with one character for
/// each byte, all of them below U+0100, compares as the bytes do.
enum KeyOrder {
    /// The text that stands for a key in a map.
    static func text(of key: some StringProtocol) -> String {
        var text = String.UnicodeScalarView()
        for byte in key.utf8 { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// What comes after every key that begins so: no key has the byte 0xFF.
    static func end(of prefix: String) -> String { text(of: prefix) + "\u{FF}" }

    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
