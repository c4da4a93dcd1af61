import Foundation

/// Any JSON value, as far as messages of a session need one.
///
/// Nesting is bounded by Foundation's decoder at 512 levels, the size by the limit of a message.
enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// Reads a document.
    ///
    /// - Throws: `DecodingError`.
    init(text: String) throws { self = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8)) }

    /// The document, with the members of objects in order: equal values are equal texts.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// An object without the members that are `nil`.
    static func fields(_ members: [String: JSONTree?]) -> JSONTree {
        .object(members.compactMapValues { $0 })
    }

    /// An object that a text spells.
    ///
    /// - Throws: ``NotAnObject`` for any other value, `DecodingError` for a text that is no JSON.
    static func object(spelled text: String) throws -> JSONTree {
        let tree = try JSONTree(text: text)
        guard case .object = tree else { throw NotAnObject() }
        return tree
    }

    struct NotAnObject: Error {}
}

extension JSONTree: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let real = try? value.decode(Double.self) {
            self = .real(real)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONTree].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONTree)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
