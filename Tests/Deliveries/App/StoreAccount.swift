internal import ServiceClient
package import Services
internal import SupabaseStorage
internal import Transport

/// Where the store is, and who signs in there.
package struct StoreAccount: Sendable {
    private let address: String
    private let key: Secret
    private let email: String
    private let password: Secret
    /// Keeps tokens over restarts, as the keychain of a device does.
    private let secrets: any SecretStore

    /// Names an account.
    package init(address: String, key: Secret, email: String, password: Secret, secrets: any SecretStore) {
        (self.address, self.key, self.email, self.password) = (address, key, email, password)
        self.secrets = secrets
    }

    /// The store, opened by tokens of the user.
    func store(through client: any HTTPClient) -> any ObjectStore {
        let configuration = SupabaseConfiguration(
            projectURL: address,
            bucket: DeliveriesApp.bucket,
            key: key
        )
        let credentials = SupabaseCredentials(email: email, password: password)
        let tokens = SupabaseSignIn.tokens(
            client: client,
            in: secrets,
            leeway: .seconds(5),
            configuration: { () throws(SecretStoreError) in configuration }
        ) { credentials }
        return SupabaseObjectStore(client: client, tokens: tokens) { () throws(SecretStoreError) in
            configuration
        }
    }
}
