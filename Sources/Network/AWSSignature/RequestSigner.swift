public import HTTPTypes
internal import Services

/// Signs requests with credentials, for one region.
///
/// Source: AWS, "Authenticating Requests (AWS Signature Version 4)" (API reference of S3).
public struct RequestSigner: Sendable {
    /// Fields that are never signed: what stands between may change them, or the signature is in them.
    private static let unsigned: Set<String> = [
        "authorization", "user-agent", "accept", "accept-encoding", "connection", "expect",
        "transfer-encoding",
    ]

    private let credentials: AWSCredentials
    private let region: String
    private let service: String

    /// Makes a signer.
    public init(_ credentials: AWSCredentials, region: String, service: String = "s3") {
        (self.credentials, self.region, self.service) = (credentials, region, service)
    }

    /// What a signed request goes on with.
    public struct Signed: Sendable {
        /// The value of `Authorization`.
        public let authorization: String
        /// The signature in it, from which chunks go on.
        public let chunks: ChunkSignatures
    }

    /// Signs a request in its header fields: sets `x-amz-date`, `x-amz-content-sha256`, for temporary credentials
    /// `x-amz-security-token`, and `Authorization`.
    ///
    /// - Parameters:
    ///   - request: Has authority and path; all of its fields are signed but those that others may change.
    ///   - payload: What stands for the body.
    ///   - time: Now.
    ///   - declaresPayload: Whether `x-amz-content-sha256` is set, as S3 wants it.
    /// - Returns: `nil` for a request without canonical form; see ``CanonicalRequest``.
    @discardableResult
    public func sign(
        _ request: inout HTTPRequest,
        payload: SignedPayload,
        at time: SigningTime,
        declaresPayload: Bool = true
    ) -> Signed? {
        request.headerFields.set("x-amz-date", time.description)
        if declaresPayload { request.headerFields.set("x-amz-content-sha256", payload.text) }
        if let token = credentials.sessionToken {
            request.headerFields.set("x-amz-security-token", token.reveal())
        }
        let names = request.headerFields.map { $0.name.canonicalName.lowercased() }
            .filter { !Self.unsigned.contains($0) }
        guard let canonical = CanonicalRequest(of: request, signing: names + ["host"], payload: payload)
        else {
            return nil
        }
        let key = key(at: time)
        let signature = key.signature(of: canonical, at: time).signature
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(key.scope),"
            + "SignedHeaders=\(canonical.signedHeaders),Signature=\(signature)"
        request.headerFields[.authorization] = authorization
        return Signed(
            authorization: authorization,
            chunks: ChunkSignatures(after: signature, key: key, time: time)
        )
    }

    /// Signs a request in its query, so that anybody may send it for a time.
    ///
    /// - Parameters:
    ///   - request: Has authority and path; whoever sends it sends all of its fields as they are.
    ///   - lifetime: Seconds from `time` on, 1…604 800 at S3.
    ///   - time: Now.
    /// - Returns: The path with the signed query; `nil` for a request without canonical form.
    public func presign(_ request: HTTPRequest, lifetime: Int, at time: SigningTime) -> String? {
        let names = request.headerFields.map { $0.name.canonicalName.lowercased() } + ["host"]
        let signedHeaders = Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let key = key(at: time)
        var pairs = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", "\(credentials.accessKey)/\(key.scope)"),
            ("X-Amz-Date", time.description), ("X-Amz-Expires", "\(lifetime)"),
            ("X-Amz-SignedHeaders", signedHeaders.joined(separator: ";")),
        ]
        if let token = credentials.sessionToken { pairs.append(("X-Amz-Security-Token", token.reveal())) }
        let added = pairs.map { "\($0.0)=\(CanonicalEncoding.encode($0.1))" }.joined(separator: "&")
        var request = request
        let path = request.path ?? "/"
        let target = path + (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + added
        request.path = target
        guard let canonical = CanonicalRequest(of: request, signing: names, payload: .unsigned) else {
            return nil
        }
        return target + "&X-Amz-Signature=" + key.signature(of: canonical, at: time).signature
    }

    private func key(at time: SigningTime) -> SigningKey {
        SigningKey(credentials.secretKey, SigningScope(date: time.date, region: region, service: service))
    }
}

extension HTTPFields {
    fileprivate mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
