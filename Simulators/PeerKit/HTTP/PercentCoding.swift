/// Escapes of URLs.
public enum PercentCoding {
    /// The text without escapes, or `nil` when an escape is broken or the bytes are not UTF-8.
    public static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }),
                let low = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text with everything escaped that `encodeURIComponent` escapes, but for the separator of paths.
    public static func encode(_ text: String, keeping separator: Character? = nil) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                byte < 0x80
                && (character.isLetter || character.isNumber || "-_.!~*'()".contains(character)
                    || character == separator)
            if isPlain { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
