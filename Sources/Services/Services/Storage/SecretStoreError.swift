/// Why a secret could not be read or kept.
public enum SecretStoreError: Error, Hashable, CustomStringConvertible {
    /// The stored bytes of one secret are damaged, or were written with another key.
    case unreadable(name: String, detail: String)
    /// The store cannot be read or written at all.
    case unavailable(detail: String)
    /// The store gives secrets and takes none.
    case readOnly(detail: String)
    /// A name or a value cannot be kept in this store, whatever its state.
    case invalid(name: String, detail: String)
    /// The passphrase does not open the file.
    case wrongPassphrase(path: String)
    /// The key file belongs to another file of secrets.
    case wrongKeyFile(path: String, keyFile: String)
    /// There are secrets, and no key file.
    case missingKeyFile(path: String, keyFile: String)
    /// Others than its owner may read or write the key file.
    case exposedKeyFile(keyFile: String)
    /// The key file is damaged, or something else.
    case damagedKeyFile(keyFile: String)
    /// The secrets are locked with a passphrase, and a key file was given.
    case needsPassphrase(path: String)
    /// The secrets are locked with a key file, and a passphrase was given.
    case needsKeyFile(path: String)
    /// The file ends too early.
    case truncated(path: String, found: Int, expected: Int)
    /// The file was changed by somebody without the key, or is damaged.
    case tampered(path: String)
    /// The file says that opening it takes more memory or time than this program gives.
    case tooCostly(path: String)
    /// The file was written by a newer version of the program.
    case newerVersion(path: String, found: Int, known: Int)
    /// Another process changes the secrets, and does not come to an end.
    case busy(path: String)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let name, let detail): "the secret “\(name)” cannot be read: \(detail)"
        case .unavailable(let detail): "the secret store is not available: \(detail)"
        case .readOnly(let detail): "secrets cannot be kept or changed: \(detail)"
        case .invalid(let name, let detail): "the secret “\(name)” cannot be kept: \(detail)"
        case .wrongPassphrase(let path):
            "the passphrase does not open the secrets in \(path). Try again; \(Self.lastResort(path))"
        case .wrongKeyFile(let path, let keyFile):
            "the key in \(keyFile) does not open the secrets in \(path). "
                + "Restore the key file that belongs to it; \(Self.lastResort(path))"
        case .missingKeyFile(let path, let keyFile):
            "there are secrets in \(path), and no key in \(keyFile). Restore the key file; \(Self.lastResort(path))"
        case .exposedKeyFile(let keyFile):
            "the key file \(keyFile) may be used by others, or is not yours: who has read it can read the secrets. "
                + "Run chmod 600 on it, and change the secrets if others may have seen them."
        case .damagedKeyFile(let keyFile):
            "\(keyFile) is not a whole key file. Restore it from a copy, or name another file."
        case .needsPassphrase(let path):
            "the secrets in \(path) are locked with a passphrase. Give it instead of a key file."
        case .needsKeyFile(let path):
            "the secrets in \(path) are locked with a key file. Name it instead of giving a passphrase."
        case .truncated(let path, let found, let expected):
            "the file of secrets \(path) is cut short, \(found) of \(expected) bytes. "
                + "Restore it from a copy; \(Self.lastResort(path))"
        case .tampered(let path):
            "the file of secrets \(path) is damaged, or was changed by another program. "
                + "Restore it from a copy; \(Self.lastResort(path))"
        case .tooCostly(let path):
            "the file of secrets \(path) wants more memory or time for its passphrase than is allowed. "
                + "It does not come from this program: restore it from a copy; \(Self.lastResort(path))"
        case .newerVersion(let path, let found, let known):
            "the file of secrets \(path) has version \(found), and this program reads up to \(known). "
                + "Use the newer program."
        case .busy(let path):
            "another program holds the secrets in \(path). Wait for it, or end it, and try again."
        }
    }

    private static func lastResort(_ path: String) -> String {
        "if that is not possible, remove \(path) and enter the secrets again."
    }
}
