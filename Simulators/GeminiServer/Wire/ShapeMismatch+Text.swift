import PeerKit

extension ShapeMismatch {
    /// Characters of a wrong value that are repeated; REST repeats no more than a close frame can hold.
    private static let shownCharacters = 123

    /// What the service says of it; the text about wrong values is not confirmed.
    var text: String {
        switch self {
        case .unknownName(let name, let path):
            "Invalid JSON payload received. Unknown name \"\(name.prefix(Self.shownCharacters))\"\(Self.place(path)): "
                + "Cannot find field."
        case .wrongValue(let value, let path, let expected):
            "Invalid value\(Self.place(path)) (\(Self.type(expected))), \(Self.shown(value))"
        }
    }

    /// Where it is, in the names of the API; empty at the top.
    var path: String {
        switch self {
        case .unknownName(_, let path), .wrongValue(_, let path, _): path
        }
    }

    private static func place(_ path: String) -> String { path.isEmpty ? "" : " at '\(path)'" }

    private static func type(_ shape: FieldShape) -> String {
        switch shape {
        case .string: "TYPE_STRING"
        case .bytes: "TYPE_BYTES"
        case .bool: "TYPE_BOOL"
        case .number: "TYPE_INT32"
        case .choice(let type, _): "type.googleapis.com/google.ai.generativelanguage.v1beta.\(type)"
        case .message, .list, .map, .itself, .object, .value, .any: "TYPE_MESSAGE"
        }
    }

    /// Only the beginning of a large value is written out.
    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): "\"\(text.prefix(shownCharacters))\""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bool(let flag): String(flag)
        case .null: "null"
        case .array: "[...]"
        case .object: "{...}"
        }
    }
}
