import PeerKit
import Yams

/// A mapping of a script, all of whose keys are known.
struct ScriptFields {
    /// A wait of more than a day is taken for a mistake.
    private static let longestDelay = 86_400.0
    /// Elements of a list; a file that repeats parts of itself may have more than its length suggests.
    static let mostElements = 10_000

    private let line: Int?
    private let values: [String: Node]

    /// Takes a mapping apart.
    ///
    /// - Throws: For anything else, and for unknown keys.
    init(_ node: Node, known: [String]) throws(GeminiScriptError) {
        guard case .mapping(let mapping) = node else {
            throw GeminiScriptError(
                line: node.line,
                detail: "expected a mapping of \(known.joined(separator: ", "))"
            )
        }
        var values: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.string ?? ""
            guard known.contains(name) else {
                throw GeminiScriptError(
                    line: key.line,
                    detail: "unknown key “\(name)”; known are \(known.joined(separator: ", "))"
                )
            }
            values[name] = value
        }
        self.values = values
        line = node.line
    }

    subscript(key: String) -> Node? { values[key] }

    /// An error at the value of a key, or at the mapping.
    func wrong(_ key: String?, _ detail: String) -> GeminiScriptError {
        GeminiScriptError(line: key.flatMap { values[$0]?.line } ?? line, detail: detail)
    }

    func text(_ key: String) throws(GeminiScriptError) -> String? {
        guard let node = values[key] else { return nil }
        guard case .scalar(let scalar) = node else { throw wrong(key, "“\(key)” is a text") }
        return scalar.string
    }

    func flag(_ key: String) throws(GeminiScriptError) -> Bool? {
        guard let node = values[key] else { return nil }
        guard case .bool(let flag) = node.plainJSON else { throw wrong(key, "“\(key)” is true or false") }
        return flag
    }

    func whole(_ key: String, in range: ClosedRange<Int>) throws(GeminiScriptError) -> Int? {
        guard let node = values[key] else { return nil }
        guard case .integer(let number) = node.plainJSON, range.contains(number) else {
            let bound =
                range.upperBound == .max
                ? "from \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            throw wrong(key, "“\(key)” is a whole number, \(bound)")
        }
        return number
    }

    func seconds(_ key: String) throws(GeminiScriptError) -> Duration? {
        guard let node = values[key] else { return nil }
        guard let number = node.plainJSON?.number, (0...Self.longestDelay).contains(number) else {
            throw wrong(key, "“\(key)” is 0 to \(Int(Self.longestDelay)) seconds")
        }
        return .seconds(number)
    }

    /// The elements of a list that is not empty.
    static func elements(of node: Node) throws(GeminiScriptError) -> [Node] {
        guard case .sequence(let sequence) = node, (1...mostElements).contains(sequence.count) else {
            throw GeminiScriptError(line: node.line, detail: "expected a list of 1 to \(mostElements)")
        }
        return Array(sequence)
    }
}

extension Node {
    /// Levels of JSON that a script writes down.
    private static let greatestDepth = 32

    /// Where it begins, from 1.
    var line: Int? {
        switch self {
        case .scalar(let scalar): scalar.mark?.line
        case .mapping(let mapping): mapping.mark?.line
        case .sequence(let sequence): sequence.mark?.line
        case .alias(let alias): alias.mark?.line
        }
    }

    /// A scalar as JSON: quoted ones are texts, others what YAML takes them for; `nil` for anything else.
    var plainJSON: JSONValue? {
        guard case .scalar(let scalar) = self else { return nil }
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        if let flag = bool { return .bool(flag) }
        if let number = int { return .integer(number) }
        if let number = float, number.isFinite { return .number(number) }
        return null == nil ? .string(scalar.string) : .null
    }

    /// Any JSON.
    func json(depth: Int = 0) throws(GeminiScriptError) -> JSONValue {
        guard depth <= Self.greatestDepth else {
            throw GeminiScriptError(line: line, detail: "more than \(Self.greatestDepth) levels")
        }
        if let value = plainJSON { return value }
        if case .sequence(let sequence) = self {
            var values: [JSONValue] = []
            for node in sequence { values.append(try node.json(depth: depth + 1)) }
            return .array(values)
        }
        guard case .mapping(let mapping) = self else {
            throw GeminiScriptError(line: line, detail: "references are not read")
        }
        var fields: [String: JSONValue] = [:]
        for (key, value) in mapping { fields[key.string ?? ""] = try value.json(depth: depth + 1) }
        return .object(fields)
    }
}
