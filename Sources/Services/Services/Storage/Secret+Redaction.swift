extension Secret {
    /// The value with every byte escaped that is not unreserved in a URL (RFC 3986 section 2.3).
    private var percentEncoded: String {
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
        return String(decoding: encoded, as: UTF8.self)
    }

    /// A text in which the secret is replaced, also where it is escaped as in a URL: for words that came from outside and may
    /// repeat it.
    public func redacted(from text: String) -> String {
        guard !reveal().isEmpty else { return text }
        return text.replacing(reveal(), with: description).replacing(percentEncoded, with: description)
    }
}
