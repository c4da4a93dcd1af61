public import Services
internal import Synchronization

/// Secrets that live as long as the process.
///
/// - Models: saving, reading, replacing, deleting, and a store that does not answer.
/// - Does not model: encryption, files, access rights.
/// - Faults: ``fail(with:)`` makes every call throw.
/// - Not compared with a real secret store.
public final class InMemorySecretStore: SecretStore {
    private struct State {
        var secrets: [String: Secret]
        var failure: SecretStoreError?
    }

    private let state: Mutex<State>

    /// Creates a store that holds `secrets`.
    public init(_ secrets: [String: Secret] = [:]) {
        state = Mutex(State(secrets: secrets, failure: nil))
    }

    /// Makes every later call throw this error; `nil` heals the store.
    public func fail(with error: SecretStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Returns the secret of that name, or `nil`.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return state.secrets[name]
        }
    }

    /// Stores a secret; `nil` deletes it.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            state.secrets[name] = secret
        }
    }
}
