public import Services

/// A store of secrets whose values stay out of a recording, whatever the program does with them.
///
/// Each value that is read or stored is known to the writer from then on.
public struct RecordingSecretStore: SecretStore {
    private let base: any SecretStore
    private let writer: SessionWriter

    /// Wraps a store.
    public init(_ base: any SecretStore, writer: SessionWriter) {
        self.base = base
        self.writer = writer
    }

    /// Returns the secret of that name, or `nil`.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? {
        let secret = try base.secret(named: name)
        if let secret { writer.learn([secret]) }
        return secret
    }

    /// Stores a secret, replacing any of that name; `nil` deletes it.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if let secret { writer.learn([secret]) }
        try base.set(secret, named: name)
    }
}
