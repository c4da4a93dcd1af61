import PeerKit

/// Makes JSON that fits a schema, with a brain's words where the schema wants a text.
///
/// It knows Gemini's schemas, in snake_case, and the parts of JSON Schema that clients generate: types, properties, items,
/// enumerations, alternatives, bounds and references. Patterns are not followed.
struct StructuredAnswer {
    /// Levels below which nothing optional is filled in, and at which a schema that contains itself ends.
    private static let usualDepth = 6
    private static let greatestDepth = 16
    /// Values, and hundreds of characters, of which an answer has no more, whatever its schema asks for.
    private static let mostValues = 10_000
    /// Elements and characters that a schema can ask for.
    private static let mostElements = 100
    private static let mostCharacters = 10_000

    private let root: JSONValue
    private let words: String
    private var left = Self.mostValues

    private init(schema: JSONValue, words: String) {
        root = schema
        self.words = words
    }

    /// A value that fits.
    static func value(fitting schema: JSONValue, words: String) -> JSONValue {
        var answer = StructuredAnswer(schema: schema, words: words)
        return answer.value(schema, 0)
    }

    /// A value of the schema itself, which counts by its size: it may stand in an array a hundred times.
    private mutating func copied(_ value: JSONValue) -> JSONValue {
        left -= value.json.count / 100
        return left > 0 ? value : .null
    }

    private mutating func value(_ schema: JSONValue, _ depth: Int) -> JSONValue {
        left -= 1
        guard left > 0, depth <= Self.greatestDepth, schema.object != nil else { return .null }
        if let target = (schema["$ref"] ?? schema["ref"])?.string {
            guard let definition = definition(target) else { return .null }
            return value(definition, depth + 1)
        }
        if let constant = schema["const"] { return copied(constant) }
        if let names = schema["enum"]?.array, let first = names.first {
            return copied(
                names.first { $0.string.map { !$0.isEmpty && words.contains($0) } ?? false } ?? first
            )
        }
        for key in ["any_of", "anyOf", "one_of", "oneOf", "all_of", "allOf"] {
            guard let choices = schema[key]?.array, let first = choices.first else { continue }
            return value(choices.first { type(of: $0) != "null" } ?? first, depth + 1)
        }
        switch type(of: schema) {
        case "object": return object(schema, depth)
        case "array": return array(schema, depth)
        case "integer": return .integer(Int(number(schema).rounded()))
        case "number": return .number(number(schema))
        case "boolean": return true
        case "string": return .string(text(schema))
        default: return .null
        }
    }

    private func type(of schema: JSONValue) -> String {
        let type = schema["type"]
        if let name = type?.string { return name.lowercased() }
        let names = (type?.array ?? []).compactMap(\.string).map { $0.lowercased() }
        if let name = names.first(where: { $0 != "null" }) ?? names.first { return name }
        if schema["properties"] != nil { return "object" }
        return schema["items"] == nil ? "string" : "array"
    }

    private func definition(_ reference: String) -> JSONValue? {
        let name = reference.split(separator: "/").last.map { String($0) } ?? ""
        if reference == "#" { return root }
        return ["$defs", "defs", "definitions"].lazy.compactMap { root[$0]?[name] }.first
    }

    private mutating func object(_ schema: JSONValue, _ depth: Int) -> JSONValue {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let properties = schema["properties"]?.object ?? [:]
        var filled: [String: JSONValue] = [:]
        // In order, so that the same ones are filled in whenever there are too many.
        for (name, schema) in properties.sorted(by: { $0.key < $1.key })
        where left > 0 && (depth < Self.usualDepth || required.contains(name)) {
            left -= name.utf8.count / 100
            // A name may be as long as the request.
            if left > 0 { filled[name] = value(schema, depth + 1) }
        }
        return .object(filled)
    }

    private mutating func array(_ schema: JSONValue, _ depth: Int) -> JSONValue {
        let least = bound(schema, "min_items", "minItems") ?? 1
        let most = bound(schema, "max_items", "maxItems") ?? Double(Self.mostElements)
        let count = Int(min(max(0, least), max(0, most), Double(Self.mostElements)))
        var elements: [JSONValue] = []
        for _ in 0..<count where left > 0 { elements.append(value(schema["items"] ?? [:], depth + 1)) }
        return .array(elements)
    }

    private func number(_ schema: JSONValue) -> Double {
        let spoken = words.split { !$0.isNumber }.lazy.compactMap { Double($0) }.first ?? 0
        let least = schema["minimum"]?.spelledNumber ?? -.greatestFiniteMagnitude
        let most = schema["maximum"]?.spelledNumber ?? .greatestFiniteMagnitude
        // Whole numbers that can be written as such.
        let limit = 9_007_199_254_740_992.0
        return min(max(min(max(spoken, least), most), -limit), limit)
    }

    private mutating func text(_ schema: JSONValue) -> String {
        switch schema["format"]?.string {
        case "date-time": return "2025-01-01T00:00:00Z"
        case "date": return "2025-01-01"
        case "time": return "00:00:00Z"
        default: break
        }
        let most = bound(schema, "max_length", "maxLength") ?? Double(Self.mostCharacters)
        let least = bound(schema, "min_length", "minLength") ?? 0
        let text = String(words.unicodeScalars.prefix(Int(min(max(0, most), Double(Self.mostCharacters)))))
        let lacking = Int(min(max(0, least), Double(Self.mostCharacters))) - text.unicodeScalars.count
        left -= (text.unicodeScalars.count + max(0, lacking)) / 100
        return lacking > 0 ? text + String(repeating: "x", count: lacking) : text
    }

    private func bound(_ schema: JSONValue, _ names: String...) -> Double? {
        names.lazy.compactMap { schema[$0]?.spelledNumber }.first
    }
}

extension GeminiFunction {
    /// A call with arguments that fit.
    func call(words: String) -> GeminiCall {
        let arguments = parameters.map { StructuredAnswer.value(fitting: $0, words: words) }
        return GeminiCall(name: name, arguments: arguments ?? [:])
    }
}

extension GeminiTurn {
    /// Characters of a prompt in which words are looked for.
    static let searchedCharacters = 10_000

    /// A call of the first function that the prompt names, unless the turn brings results of calls already.
    var namedCall: GeminiCall? {
        guard results.isEmpty else { return nil }
        let searched = prompt.prefix(Self.searchedCharacters)
        return functions.first { !$0.name.isEmpty && searched.contains($0.name) }?.call(words: prompt)
    }
}
