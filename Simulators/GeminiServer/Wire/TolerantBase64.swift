import Foundation

/// Base64 as the service takes it: both alphabets, with or without padding, without line breaks.
enum TolerantBase64 {
    /// The bytes, or `nil` when the text is not base64.
    static func decode(_ text: String) -> [UInt8]? {
        // The standard form first, as most clients send it; the others cost a copy.
        if let data = Data(base64Encoded: text) { return Array(data) }
        var standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }
}
