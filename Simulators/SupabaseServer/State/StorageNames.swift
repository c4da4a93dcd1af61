import Foundation

/// The names that the service accepts.
///
/// Source: supabase/storage `src/storage/limits.ts`.
enum StorageNames {
    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
    private static let marks = Set("!.-*'() &$@=;:+,?".utf8)

    /// Whether a key, percent-decoded, may name an object.
    ///
    /// `.` and `..` segments are refused as the file back end does it; the S3 back end keeps them as they are.
    static func isKey(_ key: String) -> Bool {
        guard !key.isEmpty else { return false }
        guard key.utf8.allSatisfy({ letters.contains($0) || marks.contains($0) || $0 == UInt8(ascii: "/") })
        else { return false }
        return !key.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    static func isBucket(_ name: String) -> Bool {
        guard (1...100).contains(name.utf8.count), name.first != " ", name.last != " " else { return false }
        return name.utf8.allSatisfy { letters.contains($0) || marks.contains($0) }
    }

    /// A date as rows carry it: ISO 8601 with milliseconds, in UTC.
    static func date(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Keys of this ending mark a folder that a person made; they carry no bytes.
    static func isFolderPlaceholder(_ key: String) -> Bool { key.hasSuffix(".emptyFolderPlaceholder") }
}
