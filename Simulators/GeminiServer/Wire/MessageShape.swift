/// What a field may hold.
indirect enum FieldShape: Sendable {
    case string
    case bool
    case number
    /// Base64 text; decoded where it is used.
    case bytes
    /// One of a set of names; `type` is the enumeration's name in errors.
    case choice(type: String, Set<String>)
    case message(MessageShape)
    case list(FieldShape)
    /// Anything: a part of the API that is accepted and not looked into.
    case any
}

/// The fields of a protobuf message in its JSON form, under their names in snake_case.
///
/// Reading follows the proto3 JSON rules: names in camelCase or snake_case at every depth, `null` for absent,
/// numbers also as strings. An unknown name is refused, as the service does.
struct MessageShape: Sendable {
    let fields: [String: FieldShape]

    /// The same value with all names in snake_case.
    ///
    /// - Throws: The close with which the service refuses an unknown name or a wrong type.
    func read(_ value: JSONValue, at path: String = "") throws(LiveRefusal) -> JSONValue {
        guard case .object(let given) = value else {
            throw .invalidValue(at: path, type: "TYPE_MESSAGE", value)
        }
        var read: [String: JSONValue] = [:]
        // Sorted, so that of several mistakes the same one is always reported.
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            let known = name.snakeCased
            guard let shape = fields[known] else { throw .unknownName(name, at: path) }
            if value == .null { continue }
            read[known] = try shape.read(value, at: path.isEmpty ? known : "\(path).\(known)")
        }
        return .object(read)
    }
}

extension FieldShape {
    fileprivate func read(_ value: JSONValue, at path: String) throws(LiveRefusal) -> JSONValue {
        switch (self, value) {
        case (.any, _), (.string, .string), (.bytes, .string), (.bool, .bool), (.number, .number):
            return value
        case (.number, .string) where value.number != nil:
            return value
        case (.choice(let type, let names), _):
            guard let name = value.string, names.contains(name) else {
                throw .invalidValue(
                    at: path,
                    type: "type.googleapis.com/google.ai.generativelanguage.v1beta.\(type)",
                    value
                )
            }
            return value
        case (.message(let shape), _):
            return try shape.read(value, at: path)
        case (.list(let element), .array(let values)):
            var read: [JSONValue] = []
            for (index, value) in values.enumerated() {
                read.append(try element.read(value, at: "\(path)[\(index)]"))
            }
            return .array(read)
        case (.list(let element), _):
            // The service takes a single value for a list of one.
            return .array([try element.read(value, at: "\(path)[0]")])
        case (.string, _): throw .invalidValue(at: path, type: "TYPE_STRING", value)
        case (.bytes, _): throw .invalidValue(at: path, type: "TYPE_BYTES", value)
        case (.bool, _): throw .invalidValue(at: path, type: "TYPE_BOOL", value)
        case (.number, _): throw .invalidValue(at: path, type: "TYPE_INT32", value)
        }
    }
}

extension String {
    /// `turnComplete` as `turn_complete`; names that are so already stay.
    fileprivate var snakeCased: String {
        guard contains(where: \.isUppercase) else { return self }
        var snake = ""
        for character in self {
            if character.isUppercase { snake += "_" }
            snake += character.lowercased()
        }
        return snake
    }
}
