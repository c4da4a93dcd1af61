/// A domain name as a sequence of labels, each of any bytes (RFC 1035 section 3.1).
///
/// Names are equal when they differ in the case of ASCII letters alone (RFC 6762 section 16). A label may contain dots, so that names are
/// never made by splitting text.
package struct DomainName: Sendable {
    /// The most bytes of one label.
    package static let mostLabelBytes = 63
    /// The most bytes of a whole name, length bytes and the final zero included.
    package static let mostBytes = 255

    /// The labels from the most specific to the top, each of 1 to 63 bytes.
    package let labels: [[UInt8]]
    /// The bytes of the name without compression, length bytes and the final zero included.
    package let byteCount: Int
    /// The name as it is sent without compression, in lower case, a character for each byte: what names are compared by.
    ///
    /// A string, since strings are compared as memory; of the characters up to U+00FF none is equal to another.
    private let key: String

    /// Makes a name; `nil` where a label or the whole is too long, or a label is empty.
    package init?(_ labels: [[UInt8]]) {
        var key = String.UnicodeScalarView()
        var byteCount = 1
        for label in labels {
            guard (1...Self.mostLabelBytes).contains(label.count) else { return nil }
            byteCount += 1 + label.count
            guard byteCount <= Self.mostBytes else { return nil }
            key.append(Unicode.Scalar(UInt8(label.count)))
            for byte in label { key.append(Unicode.Scalar(Self.lowercase(byte))) }
        }
        self.labels = labels
        self.byteCount = byteCount
        self.key = String(key)
    }

    /// A name below this one, with one more label; `nil` where that is too long.
    package func prefixed(by label: [UInt8]) -> DomainName? { DomainName([label] + labels) }

    /// What follows the first label; `nil` for the top.
    package var parent: DomainName? { labels.isEmpty ? nil : DomainName(Array(labels.dropFirst())) }

    /// The bytes of the name as they are, without compression.
    package var wire: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

extension DomainName: Hashable, Comparable {
    package static func == (one: Self, other: Self) -> Bool { one.key == other.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// By bytes in lower case.
    package static func < (one: Self, other: Self) -> Bool { one.key < other.key }
}

extension DomainName: CustomStringConvertible {
    /// As it is written, with dots and backslashes inside of a label escaped.
    package var description: String {
        labels.map { label in
            String(decoding: label, as: UTF8.self).replacing("\\", with: "\\\\").replacing(".", with: "\\.")
        }
        .joined(separator: ".")
    }
}

extension DomainName {
    /// The top of all names of the local network (RFC 6762 section 3).
    package static func local(_ labels: String...) -> DomainName? {
        DomainName(labels.map { Array($0.utf8) } + [Array("local".utf8)])
    }
}
