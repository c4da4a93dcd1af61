import Services

/// The secrets of a file, as they are before encryption.
///
/// A count, then for each secret, in order of names, the lengths and bytes of name and value; numbers have four bytes,
/// big-endian.
struct SecretFileContents: Equatable {
    var secrets: [String: Secret] = [:]

    /// Bytes that the contents of a file may have.
    static let mostBytes = 1 << 20
    /// Bytes of a name.
    static let mostOfName = 255
    /// Bytes of a value.
    static let mostOfValue = 64 << 10

    init() {}

    /// Refuses what a file could not hold.
    static func check(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        guard !name.isEmpty, name.utf8.count <= mostOfName else {
            throw .invalid(name: name, detail: "a name has 1 to \(mostOfName) bytes")
        }
        guard (secret?.reveal().utf8.count ?? 0) <= mostOfValue else {
            throw .invalid(name: name, detail: "a value has at most \(mostOfValue) bytes")
        }
    }

    var bytes: [UInt8] {
        var bytes = Self.number(secrets.count)
        for (name, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            for text in [name, secret.reveal()] {
                bytes += Self.number(text.utf8.count)
                bytes += Array(text.utf8)
            }
        }
        return bytes
    }

    /// Reads what ``bytes`` gave; `nil` where it is something else.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let count = Self.number(&rest), count <= bytes.count / 8 else { return nil }
        for _ in 0..<count {
            guard let name = Self.text(&rest, upTo: Self.mostOfName), !name.isEmpty,
                let value = Self.text(&rest, upTo: Self.mostOfValue),
                secrets.updateValue(Secret(value), forKey: name) == nil
            else { return nil }
        }
        guard rest.isEmpty else { return nil }
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest.removeFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>, upTo limit: Int) -> String? {
        guard let count = number(&rest), count <= limit, count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return String(validating: rest.prefix(count), as: UTF8.self)
    }
}
