public import Services

/// Asks the person for an identity token, as the sheet of “Sign in with Apple” does.
public protocol IdentityTokenProvider: Sendable {
    /// Asks the person, who may take as long as they like.
    ///
    /// - Parameter nonce: What Nova gets beside the token, which has to hold the hex SHA-256 of it as its `nonce`.
    /// - Returns: The authorisation; `nil` where the person has cancelled.
    /// - Throws: ``NovaError/unavailable(_:)`` where this device has no such thing, or it has failed.
    func authorize(nonce: String) async throws(NovaError) -> AppleAuthorization?
}

/// What the person has allowed.
public struct AppleAuthorization: Sendable, Hashable {
    /// The identity token; `nil` where the system gives none, and then nobody can be signed in.
    public var identityToken: Secret?
    /// What the system calls the person for this app.
    public var user: String
    /// The e-mail address; given at the first authorisation only.
    public var email: String?
    /// The name; given at the first authorisation only.
    public var fullName: String?

    /// Makes a value of its parts.
    public init(identityToken: Secret?, user: String, email: String? = nil, fullName: String? = nil) {
        (self.identityToken, self.user, self.email, self.fullName) = (identityToken, user, email, fullName)
    }
}

/// A device without such a sheet.
public struct NoIdentityTokens: IdentityTokenProvider {
    /// Creates it.
    public init() {}

    /// Says that it is not available.
    public func authorize(nonce: String) async throws(NovaError) -> AppleAuthorization? {
        throw .unavailable("Sign in with Apple is not available on this device.")
    }
}
