/// The names that Supabase Storage accepts, and how they travel in a URL.
///
/// Source: supabase/storage `src/storage/limits.ts`, regular expressions of object keys and bucket names.
enum ObjectNaming {
    /// The longest key of S3, on which the hosted service keeps its objects; in bytes.
    static let keyLengthMaximum = 1024

    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
    private static let keyMarks = Set("/!.-*'() &$@=;:+,?".utf8)
    private static let bucketMarks = Set("!.-*'() &$@=;:+,?".utf8)

    /// Whether a path may name an object.
    ///
    /// Stricter than the service in one point: `.`, `..` and empty segments are refused, because clients,
    /// proxies and file back ends fold them and the object would land elsewhere.
    static func isKey(_ path: String) -> Bool {
        guard path.utf8.count <= keyLengthMaximum else { return false }
        guard path.utf8.allSatisfy({ letters.contains($0) || keyMarks.contains($0) }) else { return false }
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Whether a name may name a bucket.
    static func isBucket(_ name: String) -> Bool {
        guard (1...100).contains(name.utf8.count), name.first != " ", name.last != " " else { return false }
        guard name != ".", name != ".." else { return false }
        return name.utf8.allSatisfy { letters.contains($0) || bucketMarks.contains($0) }
    }

    /// The path with every byte escaped that a URL path may not hold, as the official clients do it: `+` stays,
    /// since in a path it means itself.
    static func encoded(_ path: String) -> String {
        var encoded = ""
        for byte in path.utf8 {
            if literal.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// RFC 3986 section 3.3: unreserved, sub-delims, `:` and `@`, and the separator itself.
    private static let literal = letters.union("-.~!$&'()*+,;=:@/".utf8)
}
