/// What a field may hold.
public indirect enum FieldShape: Sendable, Hashable {
    /// Text.
    case string
    /// `true` or `false`.
    case bool
    /// A number, or a text that spells one.
    case number
    /// Base64 text; decoded where it is used.
    case bytes
    /// One of a set of names; `type` is the enumeration's name in errors.
    case choice(type: String, Set<String>)
    /// An object with the fields of a message.
    case message(MessageShape)
    /// An array; a single value counts as one of a single element.
    case list(FieldShape)
    /// An object whose names are free, with values of one shape.
    case map(FieldShape)
    /// An object with the fields of the message that has the field; how deep it nests is bounded by the reading of JSON.
    case itself
    /// Any object: a part of the API that is free JSON (`google.protobuf.Struct`).
    case object
    /// Any value: a part of the API that is free JSON (`google.protobuf.Value`).
    case value
    /// Anything: a part of the API that is accepted and not looked into.
    case any
}

/// Why a value does not have the shape of a message; paths are such as `setup.tools[2]`.
public enum ShapeMismatch: Error, Sendable, Hashable {
    /// The message at the path has no field of that name.
    case unknownName(String, at: String)
    /// The value at the path is not what the field may hold.
    case wrongValue(JSONValue, at: String, expected: FieldShape)
}

extension ShapeMismatch {
    /// The same at a place further up: paths are put together only where something is wrong.
    fileprivate func below(_ name: String) -> ShapeMismatch {
        func path(_ path: String) -> String {
            path.isEmpty || path.hasPrefix("[") ? name + path : "\(name).\(path)"
        }
        switch self {
        case .unknownName(let unknown, let place): return .unknownName(unknown, at: path(place))
        case .wrongValue(let value, let place, let expected):
            return .wrongValue(value, at: path(place), expected: expected)
        }
    }
}

/// The fields of a protobuf message in its JSON form, under their names in snake_case.
///
/// Reading follows the proto3 JSON rules: names in camelCase or snake_case at every depth, `null` for absent,
/// numbers also as strings. An unknown name is refused, as the service does.
public struct MessageShape: Sendable, Hashable {
    /// The fields, by their names in snake_case.
    public let fields: [String: FieldShape]

    /// Makes a shape of fields, by their names in snake_case.
    public init(fields: [String: FieldShape]) { self.fields = fields }

    /// The same value with all names in snake_case.
    public func read(_ value: JSONValue) throws(ShapeMismatch) -> JSONValue {
        guard case .object(let given) = value else {
            throw .wrongValue(value, at: "", expected: .message(self))
        }
        var read: [String: JSONValue] = [:]
        // Sorted, so that of several mistakes the same one is always reported.
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            let known = name.snakeCased
            guard let shape = fields[known] else { throw .unknownName(name, at: "") }
            if value == .null { continue }
            do throws(ShapeMismatch) { read[known] = try shape.read(value, in: self) } catch {
                throw error.below(known)
            }
        }
        return .object(read)
    }
}

extension FieldShape {
    fileprivate func read(
        _ value: JSONValue,
        in message: MessageShape
    ) throws(ShapeMismatch) -> JSONValue {
        switch (self, value) {
        case (.any, _), (.value, _), (.object, .object), (.string, .string), (.bytes, .string),
            (.bool, .bool):
            return value
        case (.number, .integer), (.number, .real):
            return value
        case (.number, .string(let text)) where Double(text) != nil:
            return value
        case (.choice(_, let names), _):
            guard let name = value.string, names.contains(name) else {
                throw .wrongValue(value, at: "", expected: self)
            }
            return value
        case (.message(let shape), _):
            return try shape.read(value)
        case (.itself, _):
            return try message.read(value)
        case (.map(let element), .object(let given)):
            var read: [String: JSONValue] = [:]
            for (name, value) in given.sorted(by: { $0.key < $1.key }) {
                do throws(ShapeMismatch) { read[name] = try element.read(value, in: message) } catch {
                    throw error.below("[\(name)]")
                }
            }
            return .object(read)
        case (.list(let element), .array(let values)):
            var read: [JSONValue] = []
            for (index, value) in values.enumerated() {
                do throws(ShapeMismatch) { read.append(try element.read(value, in: message)) } catch {
                    throw error.below("[\(index)]")
                }
            }
            return .array(read)
        case (.list(let element), _):
            // The service takes a single value for a list of one.
            do throws(ShapeMismatch) { return .array([try element.read(value, in: message)]) } catch {
                throw error.below("[0]")
            }
        case (.string, _), (.bytes, _), (.bool, _), (.number, _), (.object, _), (.map, _):
            throw .wrongValue(value, at: "", expected: self)
        }
    }
}

extension String {
    /// `turnComplete` as `turn_complete`; names that are so already stay.
    ///
    /// Only ASCII has capitals here: no message has a name with others.
    package var snakeCased: String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard utf8.contains(where: { capitals.contains($0) }) else { return self }
        var snake: [UInt8] = []
        for byte in utf8 {
            if capitals.contains(byte) { snake.append(UInt8(ascii: "_")) }
            snake.append(capitals.contains(byte) ? byte | 0x20 : byte)
        }
        return String(decoding: snake, as: UTF8.self)
    }
}
