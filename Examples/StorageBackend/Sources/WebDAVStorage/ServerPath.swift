import Foundation
import Services

/// How keys become paths on a server, below the store's folder.
///
/// On a server a name is a file or a folder, but `a` and `a/b` can both be objects: folders get the ending `.d`. In a segment, `%`, a
/// first `.` and the last letter of an ending `.d` are written as `%` and two digits, so that no file has the name of a folder, and none is
/// hidden. `FileObjectStore` does the same.
enum ServerPath {
    /// The folders of a key, from the top.
    static func folders(of key: ObjectKey) -> [String] {
        let names = key.path.split(separator: "/").dropLast().map { name(of: String($0)) + ".d" }
        return names.indices.map { names[...$0].joined(separator: "/") }
    }

    /// The file of a key.
    static func file(of key: ObjectKey) -> String {
        let segments = key.path.split(separator: "/").map { name(of: String($0)) }
        return segments.joined(separator: ".d/")
    }

    /// A path as it stands in an address.
    static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: literal) ?? ""
    }

    /// What a segment of a key is called.
    static func name(of segment: String) -> String {
        var name = segment.replacing("%", with: "%25")
        if name.hasSuffix(".d") { name = name.dropLast() + "%64" }
        if name.hasPrefix(".") { name = "%2E" + name.dropFirst() }
        return name
    }

    /// The segment of a name on the server; `nil` for what is none of the store's.
    static func segment(of name: String, isFolder: Bool) -> String? {
        guard !isFolder || name.hasSuffix(".d") else { return nil }
        let own = isFolder ? String(name.dropLast(2)) : name
        guard let segment = own.removingPercentEncoding, self.name(of: segment) == own else { return nil }
        return segment
    }

    /// What needs no escape (RFC 3986 section 2.3), and the separator.
    private static let literal = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
    )
}
