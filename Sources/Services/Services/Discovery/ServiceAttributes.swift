/// What a service says of itself, in keys and values: its TXT record (RFC 6763 section 6).
///
/// Keys are compared without regard to ASCII case, and only the first of several equal ones counts. A value is any bytes, mostly UTF-8;
/// a key may have none.
public struct ServiceAttributes: Sendable, Hashable {
    /// One key.
    public struct Entry: Sendable, Hashable {
        /// Printable ASCII without `=`, at least one character.
        public var key: String
        /// What it says; `nil` for a key that is only present.
        public var value: [UInt8]?

        /// Makes a value of its parts.
        public init(key: String, value: [UInt8]?) { (self.key, self.value) = (key, value) }
    }

    /// The most bytes of a key, `=` and its value together: what one length byte counts.
    public static let mostEntryBytes = 255
    /// The most bytes of all entries with their length bytes, so that a packet of Ethernet carries them (RFC 6763 section 6.2).
    public static let mostBytes = 1_300

    /// All entries with distinct keys, in the order in which the service says them.
    public let entries: [Entry]

    /// Makes a value of entries; those without a valid key, and further ones of a key, are left out.
    public init(_ entries: [Entry] = []) {
        var seen: Set<String> = []
        self.entries = entries.filter { entry in
            let isValid =
                !entry.key.isEmpty && entry.key.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3D }
            return isValid && seen.insert(entry.key.lowercased()).inserted
        }
    }

    /// The bytes of a key's value; `nil` where the key is absent or has none.
    public func bytes(of key: String) -> [UInt8]? { entry(key)?.value }

    /// A key's value as text; `nil` where the key is absent or has none, or where it is not UTF-8.
    public subscript(key: String) -> String? {
        entry(key)?.value.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether a key is present, with or without a value.
    public func contains(_ key: String) -> Bool { entry(key) != nil }

    /// How many bytes the entries take, with a length byte each.
    public var byteCount: Int { entries.reduce(0) { $0 + 1 + $1.byteCount } }

    private func entry(_ key: String) -> Entry? {
        let wanted = key.lowercased()
        return entries.first { $0.key.lowercased() == wanted }
    }
}

extension ServiceAttributes.Entry {
    /// How many bytes of UTF-8 it takes without a length byte.
    public var byteCount: Int { key.utf8.count + (value.map { 1 + $0.count } ?? 0) }
}

extension ServiceAttributes: ExpressibleByDictionaryLiteral {
    /// Makes a value of texts, in the order in which they are written.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Entry(key: $0, value: Array($1.utf8)) })
    }
}
