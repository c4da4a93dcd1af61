import PeerKit
import Transport

/// How the service refuses a Live client: with a close frame.
struct LiveRefusal: Error {
    let close: WebSocketClose

    /// Makes a refusal; the reason is cut to what fits.
    init(_ code: UInt16, _ reason: String) {
        close = WebSocketClose(code: code, reason: WebSocketClose.beginning(of: reason))
    }

    static let invalidArgument = LiveRefusal(1007, "Request contains an invalid argument.")
    static let notJSON = LiveRefusal(1007, "Invalid JSON payload received. Unexpected token.")
    static let invalidKey = LiveRefusal(1007, Credentials.invalidText)
    static let expiredKey = LiveRefusal(1007, Credentials.expiredText)
    static let missingKey = LiveRefusal(1008, Credentials.missingText)
    static let unknownSession = LiveRefusal(1008, "BidiGenerateContent session not found")
    static let unavailable = LiveRefusal(1011, "The service is currently unavailable.")
    static let deadline = LiveRefusal(1011, "Deadline expired before operation could complete.")
    static let cancelled = LiveRefusal(1000, "The operation was cancelled.")

    static func unknownModel(_ name: String, version: String) -> LiveRefusal {
        LiveRefusal(1008, GeminiModel.unknownText(name, version: version, method: "bidiGenerateContent"))
    }
}

// MARK: Messages of the wrong shape

extension LiveRefusal {
    /// The close with which the service refuses a message.
    init(_ mismatch: ShapeMismatch) {
        switch mismatch {
        case .unknownName(let name, let path):
            self.init(
                1007,
                "Invalid JSON payload received. Unknown name \"\(name)\"\(Self.place(path)): Cannot find field."
            )
        case .wrongValue(let value, let path, let expected):
            self.init(
                1007,
                "Invalid value\(Self.place(path)) (\(Self.type(expected))), \(Self.shown(value))"
            )
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
        case .message, .list, .any: "TYPE_MESSAGE"
        }
    }

    /// Only the beginning can fit in the frame, so the rest of a large value is not even written out.
    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): "\"\(text.prefix(WebSocketClose.reasonBytes))\""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bool(let flag): String(flag)
        case .null: "null"
        case .array: "[...]"
        case .object: "{...}"
        }
    }
}
