internal import Foundation

/// Texts on the wire to and from stores.
public enum StoreText {
    private static let excerptLength = 300

    /// Bytes of the longest key (AWS, "Naming Amazon S3 objects").
    private static let keyLengthMaximum = 1024

    /// Whether a path may name an object in a store of files or of S3.
    ///
    /// Characters that control something are refused, and so are `.`, `..` and empty segments, because clients and proxies fold them and
    /// the object would land elsewhere.
    public static func isKey(_ path: String) -> Bool {
        path.utf8.count <= keyLengthMaximum
            && path.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            && path.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Whether a text is `type/subtype` with optional parameters, in visible ASCII.
    ///
    /// Source: RFC 9110 section 8.3.1.
    public static func isMediaType(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.utf8.count <= 255 else {
            return false
        }
        let essence = text.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        let marks = Set("!#$&^_.+-")
        return essence.count == 2
            && essence.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
            }
    }

    /// Whether names and values of metadata can be sent: names of letters, digits and `-`, values of visible ASCII and inner spaces.
    public static func isMetadata(_ metadata: [String: String]) -> Bool {
        metadata.allSatisfy { name, value in
            !name.isEmpty && name.utf8.count <= 128 && value.utf8.count <= 2048
                && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
                && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                && value.first != " " && value.last != " "
        }
    }

    /// An entity tag without its quotes, and without the mark of a weak one.
    public static func entityTag(_ text: String) -> String {
        (text.hasPrefix("W/") ? text.dropFirst(2) : text[...]).filter { $0 != "\"" }
    }

    /// Which store this is: the same however the address is written and whichever key opens it, and of no other store.
    public static func identity(_ address: String?, _ bucket: String) -> String {
        var parts = address.flatMap { URLComponents(string: $0) } ?? URLComponents()
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        let usual = ["http": 80, "https": 443]
        if let scheme = parts.scheme, parts.port == usual[scheme] { parts.port = nil }
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return (parts.string ?? "") + "/" + bucket
    }

    /// The readable beginning of a foreign text, on one line.
    public static func excerpt(of text: String) -> String {
        let shown = text.unicodeScalars.prefix(4 * excerptLength).map { scalar -> Character in
            let isControl = scalar.properties.generalCategory == .control
            return isControl || scalar.properties.isWhitespace ? " " : Character(scalar)
        }
        let words = shown.split(separator: " ").map { String($0) }.joined(separator: " ")
        return words.count > excerptLength ? words.prefix(excerptLength) + "…" : words
    }
}
