extension Secret {
    /// The value with every byte escaped that is not unreserved in a URL (RFC 3986 section 2.3).
    private var percentEncoded: [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in reveal().utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return encoded
    }

    /// A text in which the secret is replaced, also where it is escaped as in a URL: for words that came from outside and may
    /// repeat it.
    ///
    /// The bytes are compared, and not the characters alone: an accent behind the secret changes its last character and hides nothing.
    public func redacted(from text: String) -> String {
        guard !reveal().isEmpty else { return text }
        // Only what is not ASCII can be written in another way, such as an accent of its own.
        let isASCII = reveal().utf8.allSatisfy { $0 < 0x80 }
        let text = isASCII ? text : text.replacing(reveal(), with: description)
        let bytes = Array(text.utf8)
        let redacted = bytes.replacing(reveal().utf8, with: description.utf8)
            .replacing(percentEncoded, with: description.utf8)
        return redacted == bytes ? text : String(decoding: redacted, as: UTF8.self)
    }
}
