internal import Foundation
public import Services

/// The key of the model's service, in the secret store.
public struct ModelKey: Sendable {
    /// The name under which the key is kept.
    public static let name: String = "gemini_api_key"

    private let secrets: any SecretStore

    /// Reads and writes the key in `secrets`.
    public init(_ secrets: any SecretStore) {
        self.secrets = secrets
    }

    /// The key, or `nil` when none is kept.
    public func read() throws(SecretStoreError) -> Secret? { try secrets.secret(named: Self.name) }

    /// Keeps a key; `nil` or nothing but white space deletes it.
    public func write(_ key: String?) throws(SecretStoreError) {
        let key = key?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        try secrets.set(key.isEmpty ? nil : Secret(key), named: Self.name)
    }
}
