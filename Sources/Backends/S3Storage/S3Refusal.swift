import ObjectTransfer
import PlainXML
import ServiceClient
import Services

/// What an answer of the service that is not a success says.
///
/// Source: AWS, "Error responses" (API reference of S3). Proxies in front of it answer with a page of their own.
struct S3Refusal: StoreRefusal, Hashable {
    let status: Int
    /// The stable name; `nil` where the answer is not in the service's form.
    let name: String?
    private let message: String

    /// - Returns: `nil` for a failure that is no answer.
    init?(_ failure: ServiceFailure) {
        guard failure.code == .refused, let status = failure.status else { return nil }
        self.init(status: status, body: failure.body)
    }

    /// Reads the body of an answer.
    init(status: Int, body: [UInt8]) {
        self.status = status
        let element = try? PlainElement(reading: body, atMost: 100)
        let isError = element?.name == "Error"
        name = isError ? element?["Code"] : nil
        message = isError ? element?["Message"] ?? "" : String(decoding: body.prefix(1200), as: UTF8.self)
    }

    /// Whether the service itself says that the object, and not its bucket, is absent.
    var meansObjectAbsent: Bool { status == 404 && name == "NoSuchKey" }

    var code: ObjectStoreError.Code {
        switch name {
        case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
            "TokenRefreshRequired", "RequestTimeTooSkewed", "AccountProblem", "AllAccessDisabled":
            return .unauthorized
        case "PreconditionFailed": return .alreadyExists
        case "EntityTooLarge": return .tooLarge
        case "SlowDown", "ServiceUnavailable", "RequestLimitExceeded": return .slowDown
        case "RequestTimeout": return .timedOut
        // What was sent did not arrive as it was, or somebody else is at it: the same may succeed.
        case "BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch", "ConditionalRequestConflict",
            "OperationAborted", "InternalError":
            return .serverError
        default: return codeOfStatus
        }
    }

    private var codeOfStatus: ObjectStoreError.Code {
        switch status {
        case 401, 403: .unauthorized
        case 404, 410: .notFound
        case 408, 504: .timedOut
        case 412: .alreadyExists
        case 413: .tooLarge
        case 429, 503: .slowDown
        case 425, 500...599: .serverError
        // A page of somebody in between, such as a captive portal that redirects.
        case ..<400: .serverError
        default: .invalidRequest
        }
    }

    /// Status and text for people.
    var detail: String {
        let words = [name.map { StoreText.excerpt(of: $0) } ?? "", StoreText.excerpt(of: message)].filter {
            !$0.isEmpty
        }
        return (["HTTP \(status)"] + words).joined(separator: ", ")
    }
}
