import HTTPTypes
import PeerKit
import PlainXML

/// What the service answers when it does not do what was asked.
///
/// Source: AWS, "Error responses" (API reference of S3).
struct S3Failure: Error {
    let status: Int
    /// The stable name.
    let code: String
    let message: String
    /// Elements that this code has besides.
    var details: [(name: String, value: String)] = []

    init(_ status: Int, _ code: String, _ message: String, _ details: [(name: String, value: String)] = []) {
        (self.status, self.code, self.message, self.details) = (status, code, message, details)
    }

    /// The element in a body.
    func element(resource: String, request: String, host: String) -> PlainElement {
        let known = [("Code", code), ("Message", message)] + details.map { ($0.name, $0.value) }
        let place = [("Resource", resource), ("RequestId", request), ("HostId", host)]
        return PlainElement("Error", (known + place).map { PlainElement($0.0, $0.1) })
    }

    // MARK: What is absent or there

    static func noSuchKey(_ key: String) -> S3Failure {
        S3Failure(404, "NoSuchKey", "The specified key does not exist.", [("Key", key)])
    }

    static func noSuchBucket(_ bucket: String) -> S3Failure {
        S3Failure(404, "NoSuchBucket", "The specified bucket does not exist", [("BucketName", bucket)])
    }

    static func noSuchUpload(_ id: String) -> S3Failure {
        S3Failure(
            404,
            "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
            [("UploadId", id)]
        )
    }

    static func bucketOwned(_ bucket: String) -> S3Failure {
        S3Failure(
            409,
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            [("BucketName", bucket)]
        )
    }

    static func bucketNotEmpty(_ bucket: String) -> S3Failure {
        S3Failure(
            409,
            "BucketNotEmpty",
            "The bucket you tried to delete is not empty",
            [("BucketName", bucket)]
        )
    }

    static func precondition(_ condition: String) -> S3Failure {
        S3Failure(
            412,
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            [("Condition", condition)]
        )
    }

    static let conflict = S3Failure(
        409,
        "ConditionalRequestConflict",
        "The conditional request cannot succeed due to a conflicting operation against this resource."
    )

    static func range(_ text: String, size: Int) -> S3Failure {
        S3Failure(
            416,
            "InvalidRange",
            "The requested range is not satisfiable",
            [("RangeRequested", text), ("ActualObjectSize", "\(size)")]
        )
    }

    // MARK: What is wrong with a request

    static func argument(_ message: String, _ name: String? = nil, _ value: String? = nil) -> S3Failure {
        let details = [("ArgumentName", name), ("ArgumentValue", value)]
        return S3Failure(
            400,
            "InvalidArgument",
            message,
            details.compactMap { pair in pair.1.map { (pair.0, $0) } }
        )
    }

    static func request(_ message: String) -> S3Failure { S3Failure(400, "InvalidRequest", message) }

    static let uri = S3Failure(400, "InvalidURI", "Couldn't parse the specified URI.")
    static let malformedXML = S3Failure(
        400,
        "MalformedXML",
        "The XML you provided was not well-formed or did not validate against our published schema"
    )
    static let keyTooLong = S3Failure(
        400,
        "KeyTooLongError",
        "Your key is too long",
        [("MaxSizeAllowed", "1024")]
    )
    static let metadataTooLarge = S3Failure(
        400,
        "MetadataTooLarge",
        "Your metadata headers exceed the maximum allowed metadata size",
        [("MaxSizeAllowed", "2048")]
    )

    static func bucketName(_ name: String) -> S3Failure {
        S3Failure(400, "InvalidBucketName", "The specified bucket is not valid.", [("BucketName", name)])
    }

    static func method(_ method: String) -> S3Failure {
        S3Failure(
            405,
            "MethodNotAllowed",
            "The specified method is not allowed against this resource.",
            [("Method", method)]
        )
    }

    static func notImplemented(header: String) -> S3Failure {
        S3Failure(
            501,
            "NotImplemented",
            "A header you provided implies functionality that is not implemented",
            [("Header", header)]
        )
    }

    /// What this server does not model.
    static func notModelled(_ name: String) -> S3Failure {
        S3Failure(501, "NotImplemented", "The simulated service does not model “\(name)”")
    }

    // MARK: Bodies

    static let missingLength = S3Failure(
        411,
        "MissingContentLength",
        "You must provide the Content-Length HTTP header."
    )
    static let incompleteBody = S3Failure(
        400,
        "IncompleteBody",
        "You did not provide the number of bytes specified by the Content-Length HTTP header"
    )
    static let requestTimeout = S3Failure(
        400,
        "RequestTimeout",
        "Your socket connection to the server was not read from or written to within the timeout period. "
            + "Idle connections will be closed."
    )
    static let invalidDigest = S3Failure(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
    static let malformedTrailer = S3Failure(
        400,
        "MalformedTrailerError",
        "The request contained trailing data that was not well-formed or did not conform to our published schema."
    )
    static let shortChunk = S3Failure(
        403,
        "InvalidChunkSizeError",
        "Only the last chunk is allowed to have a size less than 8192 bytes"
    )

    static func badDigest(_ what: String, _ details: [(name: String, value: String)] = []) -> S3Failure {
        S3Failure(400, "BadDigest", "The \(what) you specified did not match what we received.", details)
    }

    static func tooLarge(_ size: Int, limit: Int) -> S3Failure {
        S3Failure(
            400,
            "EntityTooLarge",
            "Your proposed upload exceeds the maximum allowed size",
            [("ProposedSize", "\(size)"), ("MaxSizeAllowed", "\(limit)")]
        )
    }

    /// The simulator's own bound, which the service does not have.
    static let outOfMemory = S3Failure(
        507,
        "InsufficientStorage",
        "The simulated account's memory for objects is full"
    )

    // MARK: Parts

    static let invalidPart = S3Failure(
        400,
        "InvalidPart",
        "One or more of the specified parts could not be found. The part may not have been uploaded, "
            + "or the specified entity tag may not match the part's entity tag."
    )
    static let partOrder = S3Failure(
        400,
        "InvalidPartOrder",
        "The list of parts was not in ascending order. Parts must be ordered by part number."
    )
    static let partTooSmall = S3Failure(
        400,
        "EntityTooSmall",
        "Your proposed upload is smaller than the minimum allowed size"
    )

    // MARK: Troubles of the service

    static let slowDown = S3Failure(503, "SlowDown", "Please reduce your request rate.")
    static let internalError = S3Failure(
        500,
        "InternalError",
        "We encountered an internal error. Please try again."
    )
}
