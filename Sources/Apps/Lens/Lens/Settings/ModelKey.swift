public import Concurrency
internal import Foundation
public import Services

/// The key of the model's service, in the secret store.
///
/// A store may wait for a file, for another process and for the work of a passphrase: that is done on this actor, never
/// on the caller's.
public actor ModelKey {
    /// The name under which the key is kept.
    public static let name: String = "gemini_api_key"

    /// Whether a key is kept, as far as it was read or written last; false when it cannot be read.
    public nonisolated var isKept: Published<Bool> { lastKept.published }

    private let lastKept = CurrentValue(false)
    private let secrets: any SecretStore

    /// Reads and writes the key in `secrets`.
    public init(_ secrets: any SecretStore) {
        self.secrets = secrets
    }

    /// The key, or `nil` when none is kept.
    @discardableResult
    public func read() throws(SecretStoreError) -> Secret? {
        do throws(SecretStoreError) {
            let key = try secrets.secret(named: Self.name)
            note(isKept: key != nil)
            return key
        } catch {
            note(isKept: false)
            throw error
        }
    }

    /// Keeps a key; `nil` or nothing but white space deletes it.
    public func write(_ key: String?) throws(SecretStoreError) {
        let key = key?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        try secrets.set(key.isEmpty ? nil : Secret(key), named: Self.name)
        note(isKept: !key.isEmpty)
    }

    private func note(isKept: Bool) {
        if isKept != lastKept.value { lastKept.set(isKept) }
    }
}
