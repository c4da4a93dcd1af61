import CBase64
import Foundation

/// Base64 in the forms that services take and give.
public enum Base64 {
    /// The standard form, with padding (RFC 4648 section 4).
    public static func encoded(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

    /// The form for URLs, without padding (RFC 4648 section 5).
    public static func urlEncoded(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().utf8.prefix { $0 != padding }
        return String(decoding: text.map { translated($0, from: standardMarks, to: urlMarks) }, as: UTF8.self)
    }

    /// The bytes of a text in the form for URLs, or `nil` when it is none.
    public static func decoded(url text: some StringProtocol) -> [UInt8]? {
        text.utf8.contains { standardMarks.contains($0) || $0 == padding } ? nil : decoded(String(text))
    }

    /// The bytes of a text in either alphabet, with or without padding, without line breaks; `nil` when it is none.
    public static func decoded(_ text: String) -> [UInt8]? {
        // The standard form first, as most clients send it; the others cost a copy.
        if let bytes = standardDecoded(text) { return bytes }
        var standard = text.utf8.map { translated($0, from: urlMarks, to: standardMarks) }
        while standard.last == padding { standard.removeLast() }
        while !standard.count.isMultiple(of: 4) { standard.append(padding) }
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }

    /// Decodes the standard form: pictures by vector instructions, and what is left, or is no base64, by Foundation.
    private static func standardDecoded(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            var end: Data?
            // Also room for what Foundation would make of all of it.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { bytes, count in
                guard let source = text.baseAddress, let target = bytes.baseAddress else {
                    end = Data()
                    return
                }
                let read = unsafe cbase64_decode_blocks(source, text.count, target)
                end = unsafe Data(base64Encoded: Data(text[read...]))
                count = read / 4 * 3
                guard let end, count + end.count <= bytes.count else { return }
                _ = unsafe UnsafeMutableBufferPointer(rebasing: bytes[count...]).update(fromContentsOf: end)
                count += end.count
            }
            return end == nil ? nil : bytes
        }
    }

    private static let padding = UInt8(ascii: "=")
    private static let standardMarks = Array("+/".utf8)
    private static let urlMarks = Array("-_".utf8)

    private static func translated(_ byte: UInt8, from marks: [UInt8], to others: [UInt8]) -> UInt8 {
        // Letters and digits, which are most, are in both.
        byte >= UInt8(ascii: "0") && byte != UInt8(ascii: "_")
            ? byte : marks.firstIndex(of: byte).map { others[$0] } ?? byte
    }
}
