public import PeerKit

/// An error of the REST side, as its body says it (`google.rpc.Status`).
public struct GeminiFailure: Error, Sendable, Hashable {
    /// The HTTP status.
    public var code: Int
    /// Its name, such as `RESOURCE_EXHAUSTED`.
    public var status: String
    /// What went wrong, for people.
    public var message: String
    /// More of it, each an object with `@type`.
    public var details: [JSONValue]

    /// Makes a failure.
    public init(_ code: Int, _ status: String, _ message: String, details: [JSONValue] = []) {
        self.code = code
        self.status = status
        self.message = message
        self.details = details
    }

    /// The name that belongs to a status code (google.rpc.Code, and its mapping to HTTP).
    public static func status(of code: Int) -> String {
        switch code {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 409: "ABORTED"
        case 429: "RESOURCE_EXHAUSTED"
        case 499: "CANCELLED"
        case 500: "INTERNAL"
        case 501: "UNIMPLEMENTED"
        case 503: "UNAVAILABLE"
        case 504: "DEADLINE_EXCEEDED"
        default: "UNKNOWN"
        }
    }

    /// What says when to come back (google.rpc.RetryInfo), for the details.
    public static func retryInfo(_ delay: Duration) -> JSONValue {
        [
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": .string(delay.protobufJSON),
        ]
    }

    /// When to come back, where the details say it.
    public var retryAfter: Duration? {
        for detail in details where detail["@type"]?.string?.hasSuffix("/google.rpc.RetryInfo") == true {
            guard let text = detail["retryDelay"]?.string, text.hasSuffix("s"),
                let seconds = Double(text.dropLast()), (0...86_400).contains(seconds)
            else { continue }
            return .seconds(seconds)
        }
        return nil
    }

    /// The body.
    var json: JSONValue {
        var error: [String: JSONValue] = [
            "code": .integer(code), "message": .string(message), "status": .string(status),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return ["error": .object(error)]
    }

    /// The whole answer.
    var answer: PeerAnswer { .json(json, status: code) }
}

// MARK: Those of the service

extension GeminiFailure {
    static let invalidArgument = invalid("Request contains an invalid argument.")
    static let notJSON = invalid("Invalid JSON payload received. Unexpected token.")
    static let unavailable = GeminiFailure(
        503,
        "UNAVAILABLE",
        "The model is overloaded. Please try again later."
    )

    static func invalid(_ message: String) -> GeminiFailure {
        GeminiFailure(400, "INVALID_ARGUMENT", message)
    }

    /// A mistake at a field, in the form in which the service reports what the model's own checks find.
    static func field(_ path: String, _ problem: String) -> GeminiFailure {
        invalid("* GenerateContentRequest.\(path): \(problem)\n")
    }

    /// JSON that is not a message of the API.
    init(_ mismatch: ShapeMismatch) {
        var violation: [String: JSONValue] = ["description": .string(mismatch.text)]
        if !mismatch.path.isEmpty { violation["field"] = .string(mismatch.path) }
        self.init(
            400,
            "INVALID_ARGUMENT",
            mismatch.text,
            details: [
                [
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [.object(violation)],
                ]
            ]
        )
    }

    static func tooLarge(limit: Int) -> GeminiFailure {
        invalid(
            "Request payload size exceeds the limit: \(limit) bytes. Please upload large media with the File API."
        )
    }

    static func file(_ id: String) -> GeminiFailure {
        GeminiFailure(
            403,
            "PERMISSION_DENIED",
            "You do not have permission to access the File \(id) or it may not exist."
        )
    }

    static func inactiveFile(_ id: String) -> GeminiFailure {
        GeminiFailure(
            400,
            "FAILED_PRECONDITION",
            "The File \(id) is not in an ACTIVE state and usage is not allowed."
        )
    }
}
