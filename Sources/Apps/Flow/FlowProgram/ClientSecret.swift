import ArgumentParser
import CommandKit
import Flow
import ServiceClient
import Services

/// The client's secret for a service that is not simulated.
enum ClientSecret {
    /// The client and the service that the kept secrets are for.
    private static let addressName = "flow.address"

    /// Keeps a secret for a service, or finds the one that is kept; secrets of one service never reach another.
    ///
    /// - Parameters:
    ///   - given: The secret that the program was started with; `nil` for the one of an earlier run.
    ///   - address: The service.
    ///   - clientID: The client that the secret is of.
    ///   - secrets: Where secrets are kept.
    ///   - preferences: Where it is kept which service they are for.
    /// - Returns: The store that has the client's secret.
    /// - Throws: ``NoClientSecret`` where none is given, and none is kept for this service.
    static func keep(
        _ given: Secret?,
        for address: ServiceAddress,
        of clientID: String,
        in secrets: some SecretStore,
        _ preferences: some PreferenceStore
    ) throws -> any SecretStore {
        let place = "\(clientID) \(address)"
        let isSame = try preferences.value(for: addressName) == place
        let kept = isSame ? try secrets.secret(named: APIManager.clientSecretName) : nil
        guard let secret = given ?? kept else { throw NoClientSecret(address: address) }
        if !isSame {
            // Until the name of the service is changed, nothing is kept that is for another one.
            try secrets.set(nil, named: APIManager.tokenName)
            try secrets.set(nil, named: APIManager.clientSecretName)
            try preferences.set(place, for: addressName)
        }
        if secret != kept {
            // A token of another secret may be revoked with it.
            try secrets.set(nil, named: APIManager.tokenName)
            try secrets.set(secret, named: APIManager.clientSecretName)
        }
        return secrets
    }
}

/// A service was named, and no secret for it.
struct NoClientSecret: ExitCoded, CustomStringConvertible {
    var address: ServiceAddress
    var exitCode: ExitCode { .validationFailure }

    var description: String {
        "there is no client's secret for \(address): start once with the environment variable FLOW_CLIENT_SECRET."
    }
}
