public import Services

/// A store of secrets in which one value is no secret and known beforehand: what an app calls its device.
///
/// A name that an app draws by chance and keeps among its secrets would be masked in a recording, and messages have it. With
/// this store it is a parameter of the run instead.
public struct KnownSecretStore: SecretStore {
    private let name: String
    private let value: String
    private let base: any SecretStore

    /// Puts a known value before a store.
    ///
    /// - Parameters:
    ///   - name: Under which name the app keeps it.
    ///   - value: What it is, whatever is stored there.
    ///   - base: Has all other secrets.
    public init(_ name: String, is value: String, others base: any SecretStore) {
        (self.name, self.value, self.base) = (name, value, base)
    }

    /// Returns the known value, or the secret of that name; `nil` where there is none.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? {
        if name == self.name { return Secret(value) }
        return try base.secret(named: name)
    }

    /// Stores a secret, replacing any of that name; `nil` deletes it.
    ///
    /// The known value stays as it is.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if name != self.name { try base.set(secret, named: name) }
    }
}
