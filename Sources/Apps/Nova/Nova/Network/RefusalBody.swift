internal import Foundation

/// What Nova says with a refusal, as far as it can be read and is short enough to be shown.
///
/// A member of another form than it should have is `nil`, and leaves the others; of what a proxy says instead, all of it is `nil`.
struct RefusalBody: Decodable {
    /// How many characters of a message are kept.
    static let longestMessage = 200
    /// How many characters of a name are kept: of an error, a request or a field.
    static let longestName = 64
    /// How many fields are kept.
    static let mostFields = 20

    var error: String?
    var message: String?
    /// What is wrong with fields, by their names.
    var fields: [String: String]?
    var requestID: String?
    /// How many seconds to wait.
    var retryAfter: Double?

    init(_ body: [UInt8]) { self = (try? JSONDecoder().decode(Self.self, from: Data(body))) ?? Self() }

    private init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        error = Self.text(members, .error, Self.longestName)
        message = Self.text(members, .message, Self.longestMessage)
        requestID = Self.text(members, .requestID, Self.longestName)
        retryAfter = try? members.decode(Double.self, forKey: .retryAfter)
        fields = (try? members.nestedContainer(keyedBy: FieldName.self, forKey: .fields)).map(Self.texts)
    }

    private static func text<Key>(
        _ members: KeyedDecodingContainer<Key>,
        _ key: Key,
        _ length: Int
    ) -> String? {
        (try? members.decode(String.self, forKey: key)).map { String($0.prefix(length)) }
    }

    /// The first fields in the order of their names, without those that are no texts.
    private static func texts(_ members: KeyedDecodingContainer<FieldName>) -> [String: String] {
        let names = members.allKeys.sorted { $0.stringValue < $1.stringValue }.prefix(mostFields)
        let texts = names.compactMap { name in
            text(members, name, longestMessage).map { (String(name.stringValue.prefix(longestName)), $0) }
        }
        return Dictionary(texts) { first, _ in first }
    }

    private enum CodingKeys: String, CodingKey {
        case error, message, fields
        case requestID = "request_id"
        case retryAfter = "retry_after"
    }

    private struct FieldName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
