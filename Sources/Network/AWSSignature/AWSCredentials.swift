public import Services

/// What opens a service of AWS, or one that speaks its protocol.
public struct AWSCredentials: Sendable, Hashable {
    /// The public half, which travels with every request.
    public var accessKey: String
    /// The private half, which never travels: signatures are made with it.
    public var secretKey: Secret
    /// What temporary credentials send as `x-amz-security-token`; `nil` for lasting ones.
    public var sessionToken: Secret?

    /// Makes credentials of their parts.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}
