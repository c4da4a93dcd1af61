internal import Synchronization

/// A secret that the user has typed: it can be read from a page, and is a mask wherever it is written.
public struct EnteredSecret: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// What stands for it in recordings.
    public static let mask: String = "<secret>"

    private let text: String

    /// Creates it from what was typed.
    public init(_ text: String) { self.text = text }

    /// Reads what a page sent.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        SecretCount.add(in: decoder)
    }

    /// Writes the mask.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.mask)
    }

    /// What was typed, for the one place that keeps or sends it.
    public func reveal() -> String { text }

    /// The mask.
    public var description: String { Self.mask }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Counts the secrets in what is being decoded.
final class SecretCount: Sendable {
    private static let key = CodingUserInfoKey(rawValue: "EnteredSecret.count")

    private let count = Mutex(0)

    /// The secrets so far.
    var value: Int { count.withLock(\.self) }

    /// The user information with which a decoder counts here.
    var userInfo: [CodingUserInfoKey: any Sendable] {
        Self.key.map { [$0: self] } ?? [:]
    }

    /// Counts one more, where the decoder counts.
    static func add(in decoder: any Decoder) {
        let count = key.flatMap { decoder.userInfo[$0] } as? SecretCount
        count?.count.withLock { $0 += 1 }
    }
}
