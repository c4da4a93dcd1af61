public import PeerKit

/// An error, as a body of the REST side says it (`google.rpc.Status`).
///
/// A Live session closes with a code that stands for the status, and has the message for its reason: 1007 for 400, 1000 for 499,
/// 1011 for 429 and 5xx but 501, and 1008 for all others. For 401, 403 and statuses that reports do not show, that is not confirmed.
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

    /// What the service says along with a status code.
    ///
    /// Close reasons of Live sessions where reports show one, and else the words of Google's APIs for the status.
    public static func message(of code: Int) -> String {
        switch code {
        case 400: "Request contains an invalid argument."
        case 401: "Request had invalid authentication credentials."
        case 403: "The caller does not have permission"
        case 404: "Requested entity was not found."
        case 409: "The operation was aborted."
        case 429: "You exceeded your current quota, please check your plan and billing details."
        case 499: "The operation was cancelled."
        case 500: "Internal error encountered."
        case 501: "Operation is not implemented, or supported, or enabled."
        case 503: "The service is currently unavailable."
        case 504: "Deadline expired before operation could complete."
        default: "Unknown error."
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
