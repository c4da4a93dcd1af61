import PeerKit

/// What the service answers when it does not do what was asked.
///
/// Almost all of them travel as HTTP 400 with the real status as a string inside.
/// Source: supabase/storage `src/internal/errors/codes.ts`, `src/http/error-handler.ts`.
struct StorageFailure: Error, Hashable {
    var httpStatus = 400
    var status: Int
    /// The legacy label, which older clients decide by.
    let error: String
    /// The stable name.
    let code: String
    let message: String

    init(_ status: Int, _ error: String, _ code: String, _ message: String, httpStatus: Int = 400) {
        self.httpStatus = httpStatus
        self.status = status
        self.error = error
        self.code = code
        self.message = message
    }

    var envelope: JSONValue {
        .object([
            "statusCode": .string(String(status)), "error": .string(error), "code": .string(code),
            "message": .string(message),
        ])
    }

    static let bucketNotFound = StorageFailure(404, "Bucket not found", "NoSuchBucket", "Bucket not found")
    static let objectNotFound = StorageFailure(404, "not_found", "NoSuchKey", "Object not found")
    static let duplicateObject = StorageFailure(
        409,
        "Duplicate",
        "ResourceAlreadyExists",
        "The resource already exists"
    )
    static let duplicateBucket = StorageFailure(
        409,
        "Duplicate",
        "BucketAlreadyExists",
        "The resource already exists"
    )
    static let policyViolation = unauthorized("new row violates row-level security policy")
    static let tooLarge = StorageFailure(
        413,
        "Payload too large",
        "EntityTooLarge",
        "The object exceeded the maximum allowed size"
    )
    /// The simulator's own bound, which the service does not have.
    static let outOfMemory = StorageFailure(
        507,
        "Insufficient Storage",
        "InsufficientStorage",
        "the simulated project's memory for objects is full",
        httpStatus: 507
    )
    static let malformedContentType = StorageFailure(
        415,
        "invalid_mime_type",
        "InvalidMimeType",
        "Invalid Content-Type header"
    )
    static let bucketName = StorageFailure(400, "Invalid Input", "InvalidBucketName", "Bucket name invalid")
    static let bucketNotEmpty = StorageFailure(
        409,
        "ResourceNotEmpty",
        "ResourceNotEmpty",
        "The bucket you tried to delete is not empty"
    )
    static let range = StorageFailure(
        416,
        "invalid_range",
        "InvalidRange",
        "invalid range provided",
        httpStatus: 416
    )
    static let noContent = invalidRequest("No content provided")
    static let noAuthorization = validator("headers must have required property 'authorization'")

    static func unauthorized(_ text: String) -> StorageFailure {
        StorageFailure(403, "Unauthorized", "AccessDenied", text)
    }

    static func mimeType(_ type: String) -> StorageFailure {
        StorageFailure(415, "invalid_mime_type", "InvalidMimeType", "mime type \(type) is not supported")
    }

    static func key(_ key: String) -> StorageFailure {
        StorageFailure(400, "InvalidKey", "InvalidKey", "Invalid key: \(key)")
    }

    static func invalidRequest(_ text: String) -> StorageFailure {
        StorageFailure(400, "InvalidRequest", "InvalidRequest", text)
    }

    /// A picture that cannot be changed, in the words of the program that was to do it.
    static func picture(_ text: String) -> StorageFailure {
        StorageFailure(422, "ImageProcessingError", "ImageProcessingError", text)
    }

    /// A request that does not fit the route's schema.
    static func validator(_ text: String) -> StorageFailure {
        StorageFailure(400, "Error", "InvalidRequest", text)
    }

    static func token(_ text: String) -> StorageFailure {
        StorageFailure(400, "InvalidJWT", "InvalidJWT", text)
    }

    static func signature(_ text: String) -> StorageFailure {
        StorageFailure(400, "InvalidSignature", "InvalidSignature", text)
    }

    /// A refusal of the protocol for uploads in parts, which travels as plain text with its true status.
    ///
    /// Source: tus/tus-node-server `packages/utils/src/constants.ts`.
    static func resumable(_ status: Int, _ text: String) -> StorageFailure {
        StorageFailure(status, "tus", "tus", text, httpStatus: status)
    }

    /// The framework's own answer for a path that no route matches; it alone has the true status.
    static func route(_ method: String, _ path: String) -> StorageFailure {
        StorageFailure(404, "Not Found", "Not Found", "Route \(method):\(path) not found", httpStatus: 404)
    }

    /// A failure of the service that has nothing to do with the request.
    static func refusal(status: Int) -> StorageFailure {
        if status == 403 { return unauthorized("jwt expired") }
        var failure = unexpected("Internal Server Error")
        failure.httpStatus = status
        failure.status = status
        return failure
    }

    static func unexpected(_ text: String) -> StorageFailure {
        StorageFailure(500, "Internal", "InternalError", text, httpStatus: 500)
    }
}
