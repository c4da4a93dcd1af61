public import Services

/// What a person signs in with.
public struct SupabaseCredentials: Sendable, Hashable {
    /// The address.
    public var email: String
    /// The password, which is sent and never kept.
    public var password: Secret

    /// Makes a value of its parts.
    public init(email: String, password: Secret) {
        self.email = email
        self.password = password
    }
}
