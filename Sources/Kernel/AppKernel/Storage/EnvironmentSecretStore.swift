public import Services

/// Secrets that a program was started with, in environment variables; they cannot be changed.
public struct EnvironmentSecretStore: SecretStore {
    private let secrets: [String: Secret]

    /// Takes the secrets out of an environment.
    ///
    /// - Parameters:
    ///   - variables: For each secret's name, the variable that holds it.
    ///   - environment: The program's environment; an empty variable counts as absent.
    public init(variables: [String: String], environment: [String: String]) {
        secrets = variables.compactMapValues { variable in
            guard let value = environment[variable], !value.isEmpty else { return nil }
            return Secret(value)
        }
    }

    /// Returns the secret of that name, or `nil`.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? { secrets[name] }

    /// Always throws: the environment cannot be written.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        throw .readOnly(
            detail: "secrets come from the environment here; set “\(name)” there and start again"
        )
    }
}
