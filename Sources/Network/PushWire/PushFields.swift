internal import Foundation

/// Why a message cannot be used.
///
/// No case holds any of it: a message may have secrets.
public enum PushMessageError: Error, Sendable, Hashable {
    /// It is no object of JSON with what its type needs.
    case malformed
    /// It is longer than messages may be.
    case tooLong
    /// It has another type: of a later version, perhaps.
    case unknown
}

/// The members that messages have.
struct PushFields: Codable {
    var type: String
    var environment: String?
    var topic: String?
    var installation: String?
    var secret: String?
    var token: String?
    var number: Int?
    var id: String?
    var payload: String?
    var collapse: String?
    var priority: Int?

    init(
        type: String,
        environment: String? = nil,
        topic: String? = nil,
        installation: String? = nil,
        secret: String? = nil,
        token: String? = nil,
        number: Int? = nil,
        id: String? = nil,
        payload: String? = nil,
        collapse: String? = nil,
        priority: Int? = nil
    ) {
        (self.type, self.environment, self.topic) = (type, environment, topic)
        (self.installation, self.secret, self.token) = (installation, secret, token)
        (self.number, self.id, self.payload) = (number, id, payload)
        (self.collapse, self.priority) = (collapse, priority)
    }

    init(_ text: String, upTo limit: Int) throws(PushMessageError) {
        guard text.utf8.count <= limit else { throw .tooLong }
        do { self = try JSONDecoder().decode(PushFields.self, from: Data(text.utf8)) } catch {
            throw .malformed
        }
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("texts and numbers can be encoded")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
