internal import Synchronization

/// A secret that the user has typed: it can be read from a page, and is a mask wherever it is written.
public struct EnteredSecret: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// What stands for a secret of so many characters in recordings: a screen that counts them shows the same for it.
    public static func mask(of count: Int) -> String { String(repeating: "•", count: count) }

    private let text: String

    /// Creates it from what was typed.
    public init(_ text: String) { self.text = text }

    /// Reads what a page sent.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        DecodedSecrets.add(self, in: decoder)
    }

    /// Writes the mask.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.mask(of: text.count))
    }

    /// What was typed, for the one place that keeps or sends it.
    public func reveal() -> String { text }

    /// A mask that does not say how many characters it has.
    public var description: String { "<secret>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Collects the secrets in what is being decoded.
final class DecodedSecrets: Sendable {
    private static let key = CodingUserInfoKey(rawValue: "EnteredSecret.decoded")

    private let secrets = Mutex<[EnteredSecret]>([])

    /// The secrets so far.
    var values: [EnteredSecret] { secrets.withLock(\.self) }

    /// The user information with which a decoder collects here.
    var userInfo: [CodingUserInfoKey: any Sendable] {
        Self.key.map { [$0: self] } ?? [:]
    }

    /// Adds one, where the decoder collects.
    static func add(_ secret: EnteredSecret, in decoder: any Decoder) {
        let decoded = key.flatMap { decoder.userInfo[$0] } as? DecodedSecrets
        decoded?.secrets.withLock { $0.append(secret) }
    }
}
