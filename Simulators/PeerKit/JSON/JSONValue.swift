/// Any JSON value.
///
/// Whole numbers within 64 bits are ``integer(_:)``, however they were written, so that equal numbers are equal values.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number with a fraction, or one too large for ``integer(_:)``; finite.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: The document in UTF-8.
    ///   - depth: Levels of nesting that are read.
    /// - Throws: ``JSONMalformed`` for anything that is not JSON, nests too deeply, or holds more than
    ///   ``JSONMalformed/mostValues`` values.
    public init(json bytes: [UInt8], depth: Int = 100) throws(JSONMalformed) {
        self = try JSONReader.read(bytes, depth: depth)
    }

    /// A number, in the form that equal numbers share.
    ///
    /// - Precondition: The number is finite.
    public static func number(_ value: Double) -> JSONValue {
        precondition(value.isFinite, "JSON has no infinite numbers")
        return Int(exactly: value).map { .integer($0) } ?? .real(value)
    }

    /// A text, or null.
    public static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The document in UTF-8, without blanks and with the members of objects in order: equal values give equal bytes.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    /// A member of an object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The text, if it is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, if it is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, if it is one.
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// The elements, if it is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if it is an object.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    /// Whether it is null.
    public var isNull: Bool { self == .null }

    /// The number, if it is one.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members with the same name the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
