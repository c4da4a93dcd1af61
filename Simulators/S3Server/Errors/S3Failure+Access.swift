import AWSSignature

extension S3Failure {
    static let accessDenied = S3Failure(403, "AccessDenied", "Access Denied")
    static let missingDate = S3Failure(
        403,
        "AccessDenied",
        "AWS authentication requires a valid Date or x-amz-date header"
    )
    static let twoMechanisms = argument(
        "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter "
            + "or the Authorization header should be specified",
        "Authorization"
    )

    static func unknownKey(_ key: String) -> S3Failure {
        S3Failure(
            403,
            "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.",
            [("AWSAccessKeyId", key)]
        )
    }

    static let badToken = S3Failure(
        400,
        "InvalidToken",
        "The provided token is malformed or otherwise invalid."
    )

    static func headerMalformed(_ words: String, _ details: [(name: String, value: String)] = []) -> S3Failure
    {
        S3Failure(400, "AuthorizationHeaderMalformed", words, details)
    }

    static func query(_ words: String) -> S3Failure {
        S3Failure(400, "AuthorizationQueryParametersError", words)
    }

    static func notSigned(_ names: [String]) -> S3Failure {
        S3Failure(
            403,
            "AccessDenied",
            "There were headers present in the request which were not signed",
            [("HeadersNotSigned", names.joined(separator: ", "))]
        )
    }

    /// With the texts that the service has made of the request, in which a client finds its mistake.
    static func signature(_ claim: SignatureClaim, _ stringToSign: String, _ canonical: String) -> S3Failure {
        S3Failure(
            403,
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
            [
                ("AWSAccessKeyId", claim.accessKey), ("StringToSign", stringToSign),
                ("SignatureProvided", claim.signature), ("CanonicalRequest", canonical),
            ]
        )
    }

    static let chunkSignature = S3Failure(
        403,
        "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check your key and signing method."
    )

    static func skewed(_ request: SigningTime, _ now: SigningTime, atMost seconds: Int64) -> S3Failure {
        S3Failure(
            403,
            "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
            [
                ("RequestTime", request.description), ("ServerTime", now.extended),
                ("MaxAllowedSkewMilliseconds", "\(seconds * 1000)"),
            ]
        )
    }

    static func expired(_ lifetime: Int, _ end: SigningTime, _ now: SigningTime) -> S3Failure {
        S3Failure(
            403,
            "AccessDenied",
            "Request has expired",
            [("X-Amz-Expires", "\(lifetime)"), ("Expires", end.extended), ("ServerTime", now.extended)]
        )
    }
}

extension SigningTime {
    /// As the elements of answers have it: `2013-05-24T00:00:00Z`.
    var extended: String {
        let text = Array(description)
        func part(_ range: Range<Int>) -> String { String(text[range]) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<16))"
    }

    /// As listings have it: `2013-05-24T00:00:00.000Z`.
    var listed: String { extended.dropLast() + ".000Z" }
}
