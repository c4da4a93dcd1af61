/// Escapes as canonical requests have them: every byte but the unreserved ones of RFC 3986 section 2.3, in capital digits.
public enum CanonicalEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The bytes with their escapes.
    ///
    /// - Parameters:
    ///   - bytes: What is escaped.
    ///   - keepsSlash: Whether `/` stays, as in paths.
    public static func encode(_ bytes: some Sequence<UInt8>, keepsSlash: Bool = false) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || (keepsSlash && byte == UInt8(ascii: "/")) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The text with its escapes.
    public static func encode(_ text: some StringProtocol, keepsSlash: Bool = false) -> String {
        encode(Array(text.utf8), keepsSlash: keepsSlash)
    }

    /// The bytes without escapes, or `nil` when an escape is broken.
    ///
    /// - Parameters:
    ///   - text: Text with escapes, from a path or a query.
    ///   - plusIsBlank: Whether `+` is a blank, as in queries.
    public static func decode(_ text: some StringProtocol, plusIsBlank: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
