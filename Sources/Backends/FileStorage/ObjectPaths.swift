import ObjectTransfer
import Services

/// Where objects lie in a folder.
///
/// An object is a file of its key's last segment, in folders of the segments before, whose names end in `.d`: so `a` and `a/b` can both be objects.
/// Bytes that a file name cannot have, a first `.`, and a last `.d` are written as `%` and two digits.
struct ObjectPaths: Sendable {
    /// What is kept about objects lies here, in the same folders.
    static let informationFolder = ".information"
    /// What is being written.
    static let workFolder = ".work"
    /// Bytes of a name with its escapes: 255 of a file system, less the longest ending.
    private static let nameLengthMaximum = 255 - ".json".utf8.count

    let root: String

    /// The folders of a key, without the root, and the name of its file; `nil` for what cannot be a key here.
    func place(of key: ObjectKey) -> (folders: [String], name: String)? {
        guard StoreText.isKey(key.path) else { return nil }
        var names: [String] = []
        for segment in key.path.split(separator: "/", omittingEmptySubsequences: false) {
            let name = Self.name(of: String(segment))
            guard name.utf8.count <= Self.nameLengthMaximum else { return nil }
            names.append(name)
        }
        guard let last = names.popLast() else { return nil }
        return (names.map { $0 + ".d" }, last)
    }

    /// What a segment is called as a file.
    static func name(of segment: String) -> String {
        var name = ""
        let bytes = Array(segment.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLastOfFolder = index == bytes.count - 1 && segment.hasSuffix(".d")
            let isFirstDot = index == 0 && byte == UInt8(ascii: ".")
            if byte == UInt8(ascii: "%") || isLastOfFolder || isFirstDot {
                let digits = String(byte, radix: 16, uppercase: true)
                name += "%" + (digits.count == 1 ? "0" + digits : digits)
            } else {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        // Bytes above ASCII were appended one by one: they are put together again.
        return String(
            decoding: name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) },
            as: UTF8.self
        )
    }

    /// The segment of a file's name; `nil` for a file that is none of the store's.
    static func segment(of name: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            rest.removeFirst(2)
            bytes.append(value)
        }
        guard let segment = String(validating: bytes, as: UTF8.self), Self.name(of: segment) == name else {
            return nil
        }
        return segment
    }
}
