import Foundation

/// Any JSON value, read with a bound on nesting and written with sorted keys.
enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Levels of nesting that are read; protobuf's JSON reader stops at 100.
    private static let deepest = 100

    /// Reads a document.
    ///
    /// - Throws: `DecodingError` for anything that is not JSON, or nests too deeply.
    init(json: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(json))
    }

    /// The document in UTF-8; equal values give equal bytes.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    subscript(name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// A number, also when it is written as a string, as 64-bit numbers are.
    var number: Double? {
        switch self {
        case .number(let value): value
        case .string(let text): Double(text)
        default: nil
        }
    }
}

extension JSONValue: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepest else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "more than \(Self.deepest) levels")
            )
        }
        let single = try decoder.singleValueContainer()
        // Strings first: the large ones are what a busy session carries.
        if let text = try? single.decode(String.self) {
            self = .string(text)
        } else if let container = try? decoder.container(keyedBy: Name.self) {
            var fields: [String: JSONValue] = [:]
            for name in container.allKeys {
                fields[name.stringValue] = try container.decode(JSONValue.self, forKey: name)
            }
            self = .object(fields)
        } else if var container = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !container.isAtEnd { values.append(try container.decode(JSONValue.self)) }
            self = .array(values)
        } else if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else {
            self = .number(try single.decode(Double.self))
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
