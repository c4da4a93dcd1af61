public import FileSecrets
internal import Foundation
public import Services

extension AppFolder {
    /// The secrets that are kept here, which a passphrase opens, or a key file beside them.
    ///
    /// Secrets that were kept without a passphrase before are opened by it alone from now on.
    ///
    /// - Parameters:
    ///   - passphrase: What opens them; `nil` for the key file.
    ///   - name: A secret whose absence or presence is looked at to try the passphrase.
    /// - Throws: `SecretStoreError` when the passphrase does not open what is kept.
    public func secretStore(_ passphrase: Secret?, trying name: String) throws -> FileSecretStore {
        guard let passphrase else { return FileSecretStore(path: secrets, key: .file(secretsKey)) }
        let store = FileSecretStore(path: secrets, key: .passphrase(passphrase))
        do {
            _ = try store.secret(named: name)
        } catch SecretStoreError.needsKeyFile {
            let former = FileSecretStore(path: secrets, key: .file(secretsKey))
            try former.changeKey(to: .passphrase(passphrase))
            try FileManager.default.removeItem(atPath: secretsKey)
        }
        return store
    }
}
