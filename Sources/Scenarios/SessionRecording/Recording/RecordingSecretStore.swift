public import Services
import Simulation

/// A store of secrets whose values stay out of a recording, whatever the program does with them.
///
/// Each value that is read or stored is known to the writer from then on. The store is one of the world outside the simulation: what it
/// draws to encrypt them takes nothing of the simulation's chance.
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
        let found: Result<Secret?, SecretStoreError> = Simulation.asPlatform {
            do throws(SecretStoreError) { return .success(try base.secret(named: name)) } catch {
                return .failure(error)
            }
        }
        let secret = try found.get()
        if let secret { writer.learn([secret]) }
        return secret
    }

    /// Stores a secret, replacing any of that name; `nil` deletes it.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if let secret { writer.learn([secret]) }
        let result: Result<Void, SecretStoreError> = Simulation.asPlatform {
            do throws(SecretStoreError) { return .success(try base.set(secret, named: name)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
