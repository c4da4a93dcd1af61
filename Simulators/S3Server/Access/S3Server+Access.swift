import AWSSignature
import Foundation
import HTTPTypes
import PeerKit
import Services
import Transport

extension S3Server {
    /// How far the clocks of clients may be off.
    private static let skewSeconds: Int64 = 900
    private static let lifetimeMaximum = 604_800

    /// The instant that it is.
    static var now: SigningTime { SigningTime(seconds: Int64(Date().timeIntervalSince1970.rounded(.down))) }

    var now: SigningTime { Self.now }

    /// Checks the signature of a request.
    ///
    /// In the order of the service: the mechanism, the parameters, the key, the time, the signature.
    func access(_ call: S3Call) throws(S3Failure) -> Access {
        let header = call.fields[.authorization]
        let isQuery = ["X-Amz-Algorithm", "X-Amz-Signature", "X-Amz-Credential"].contains {
            call.target[$0] != nil
        }
        if header != nil, isQuery { throw .twoMechanisms }
        if let header { return try headerAccess(header, call) }
        if isQuery { return try queryAccess(call) }
        return .anonymous
    }

    // MARK: Signed in the header

    private func headerAccess(_ header: String, _ call: S3Call) throws(S3Failure) -> Access {
        let claim: SignatureClaim
        do { claim = try SignatureClaim(authorization: header) } catch {
            if header.hasPrefix("AWS4-HMAC-SHA256") { throw .headerMalformed(error.words) }
            throw .argument(error.words, "Authorization")
        }
        guard let time = Self.time(of: call) else { throw .missingDate }
        guard let text = call.fields.value("x-amz-content-sha256") else {
            throw .request("Missing required header for this request: x-amz-content-sha256")
        }
        guard let payload = SignedPayload(text) else {
            throw .argument(
                "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
                    + "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
                "x-amz-content-sha256",
                text
            )
        }
        try check(claim, time) { words, details in .headerMalformed(words, details) }
        let secret = try secret(of: claim, token: call.fields.value("x-amz-security-token"))
        guard abs(now.seconds - time.seconds) <= Self.skewSeconds else {
            throw .skewed(time, now, atMost: Self.skewSeconds)
        }
        return try verified(claim, secret, time, payload, call)
    }

    /// `x-amz-date` or `Date`, in either form.
    private static func time(of call: S3Call) -> SigningTime? {
        if let text = call.fields.value("x-amz-date") { return SigningTime(text) }
        guard let text = call.fields[.date] else { return nil }
        return SigningTime(text) ?? HTTPDate.seconds(text).map { SigningTime(seconds: $0) }
    }

    // MARK: Signed in the query

    private func queryAccess(_ call: S3Call) throws(S3Failure) -> Access {
        func parameter(_ name: String) throws(S3Failure) -> String {
            guard let value = call.target[name], !value.isEmpty else {
                throw .query(
                    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
                        + "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters."
                )
            }
            return value
        }
        guard try parameter("X-Amz-Algorithm") == "AWS4-HMAC-SHA256" else {
            throw .query("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"")
        }
        let found = SignatureClaim(
            credential: try parameter("X-Amz-Credential"),
            signedHeaders: try parameter("X-Amz-SignedHeaders"),
            signature: try parameter("X-Amz-Signature")
        )
        guard let claim = found else {
            throw .query(
                "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; "
                    + "expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."
            )
        }
        guard let time = SigningTime(try parameter("X-Amz-Date")) else {
            throw .query("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
        }
        let lifetime = try Self.lifetime(try parameter("X-Amz-Expires"))
        try check(claim, time) { words, _ in .query(words) }
        let secret = try secret(of: claim, token: call.target["X-Amz-Security-Token"])
        guard time.seconds - now.seconds <= Self.skewSeconds else {
            throw S3Failure(
                403,
                "AccessDenied",
                "Request is not valid yet",
                [("X-Amz-Date", time.description)]
            )
        }
        let end = SigningTime(seconds: time.seconds + Int64(lifetime))
        guard now < end else { throw .expired(lifetime, end, now) }
        var payload = SignedPayload.unsigned
        if claim.signedHeaders.contains("x-amz-content-sha256") {
            payload = call.fields.value("x-amz-content-sha256").flatMap { SignedPayload($0) } ?? .unsigned
        }
        return try verified(claim, secret, time, payload, call)
    }

    private static func lifetime(_ text: String) throws(S3Failure) -> Int {
        guard let lifetime = Int(text) else { throw .query("X-Amz-Expires should be a number") }
        guard lifetime >= 0 else { throw .query("X-Amz-Expires must be non-negative") }
        guard lifetime <= lifetimeMaximum else {
            throw .query(
                "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds"
            )
        }
        return lifetime
    }

    // MARK: Both

    /// Checks the scope against the account and the date.
    private func check(
        _ claim: SignatureClaim,
        _ time: SigningTime,
        _ failure: (String, [(name: String, value: String)]) -> S3Failure
    ) throws(S3Failure) {
        guard claim.scope.date == time.date else {
            throw failure(
                "The Credential is mal-formed; invalid credential date \"\(claim.scope.date)\". This date is not the same as X-Amz-Date: \"\(time.date)\".",
                []
            )
        }
        guard claim.scope.region == account.region else {
            throw failure(
                "The authorization header is malformed; the region '\(claim.scope.region)' is wrong; expecting '\(account.region)'",
                [("Region", account.region)]
            )
        }
        guard claim.scope.service == "s3" else {
            throw failure(
                "The Credential is mal-formed; incorrect service \"\(claim.scope.service)\". This endpoint belongs to \"s3\".",
                []
            )
        }
    }

    private func secret(of claim: SignatureClaim, token: String?) throws(S3Failure) -> Secret {
        guard let known = account.credentials.first(where: { $0.accessKey == claim.accessKey }) else {
            throw .unknownKey(claim.accessKey)
        }
        guard Signatures.areEqual(known.sessionToken?.reveal() ?? "", token ?? "") else { throw .badToken }
        return known.secretKey
    }

    private func verified(
        _ claim: SignatureClaim,
        _ secret: Secret,
        _ time: SigningTime,
        _ payload: SignedPayload,
        _ call: S3Call
    ) throws(S3Failure) -> Access {
        let needed = call.fields.map(\.name.canonicalName).filter { $0.hasPrefix("x-amz-") } + ["host"]
        let unsigned = Set(needed).subtracting(claim.signedHeaders)
        guard unsigned.isEmpty else { throw .notSigned(unsigned.sorted()) }
        let canonical = CanonicalRequest(of: call.request, signing: claim.signedHeaders, payload: payload)
        guard let canonical else { throw .uri }
        let key = SigningKey(secret, claim.scope)
        let computed = key.signature(of: canonical, at: time)
        guard Signatures.areEqual(computed.signature, claim.signature) else {
            throw .signature(claim, computed.stringToSign, canonical.text)
        }
        return Access(
            isAnonymous: false,
            payload: payload,
            chunks: ChunkSignatures(after: claim.signature, key: key, time: time)
        )
    }
}
