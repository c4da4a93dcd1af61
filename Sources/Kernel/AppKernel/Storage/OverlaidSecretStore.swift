public import Services

/// Secrets that a program was started with, over those that it keeps.
///
/// A name that the upper store has is read from there and cannot be changed; all others are read from and written to the lower one.
public struct OverlaidSecretStore: SecretStore {
    private let upper: any SecretStore
    private let lower: any SecretStore

    /// Puts a store, such as an ``EnvironmentSecretStore``, over another one.
    public init(_ upper: any SecretStore, over lower: any SecretStore) {
        (self.upper, self.lower) = (upper, lower)
    }

    /// Returns the upper store's secret of that name, else the lower one's, or `nil`.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? {
        if let secret = try upper.secret(named: name) { return secret }
        return try lower.secret(named: name)
    }

    /// Writes to the lower store.
    ///
    /// - Throws: What the upper store throws for a name that it has, such as `readOnly`; else what the lower one throws.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if try upper.secret(named: name) != nil {
            try upper.set(secret, named: name)
        } else {
            try lower.set(secret, named: name)
        }
    }
}
