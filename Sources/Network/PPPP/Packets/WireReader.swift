/// Reads numbers and bytes from the front of what a peer sent; a read past the end gives `nil`.
package struct WireReader {
    /// What has not been read.
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    package mutating func big16() -> UInt16? { big(2).map { UInt16($0) } }
    package mutating func big32() -> UInt32? { big(4) }
    package mutating func little16() -> UInt16? { little(2).map { UInt16($0) } }
    package mutating func little32() -> UInt32? { little(4) }

    /// Text in a field of fixed size, which ends at the first NUL; bytes that are not UTF-8 are replaced.
    package mutating func text(_ count: Int) -> String? {
        bytes(count).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private mutating func big(_ count: Int) -> UInt32? {
        bytes(count).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    private mutating func little(_ count: Int) -> UInt32? {
        bytes(count).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension [UInt8] {
    package mutating func append(big value: UInt16) {
        append(UInt8(value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func append(big value: UInt32) {
        append(big: UInt16(value >> 16))
        append(big: UInt16(truncatingIfNeeded: value))
    }

    package mutating func append(little value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(value >> 8))
    }

    package mutating func append(little value: UInt32) {
        append(little: UInt16(truncatingIfNeeded: value))
        append(little: UInt16(value >> 16))
    }

    /// Appends text in a field of fixed size, cut where it is longer and filled with NULs where it is shorter.
    package mutating func append(_ text: String, field count: Int) {
        let bytes = text.utf8.prefix(count)
        append(contentsOf: bytes)
        append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
}
