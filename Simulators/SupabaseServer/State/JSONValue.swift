import Foundation

/// Any JSON value.
enum JSONValue: Sendable, Hashable, Codable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    case null
    case bool(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(stringLiteral value: String) { self = .string(value) }
    init(nilLiteral: ()) { self = .null }

    /// Reads a text, or returns `nil` when it is not JSON.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return nil }
        self = value
    }

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
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .integer(let integer): try value.encode(integer)
        case .real(let real): try value.encode(real)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }

    /// The text, with the members of objects in the order of their names, so that equal values give equal bytes.
    func encoded() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch {
            preconditionFailure("a JSON value holds a number that JSON cannot write")
        }
    }

    var string: String? { if case .string(let string) = self { string } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
    var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
    var object: [String: JSONValue]? { if case .object(let object) = self { object } else { nil } }
    var isNull: Bool { self == .null }

    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// A text, or null.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
