internal import Foundation
public import Services

/// The credentials of the wireless camera, in the secret store.
public struct CameraKey: Sendable {
    /// The name under which they are kept.
    public static let name: String = "veepa_p2p_credentials"

    private let secrets: any SecretStore

    private struct Stored: Codable {
        var device: String
        var user: String
        var password: String
        var service: String?
    }

    /// Reads and writes the credentials in `secrets`.
    public init(_ secrets: any SecretStore) {
        self.secrets = secrets
    }

    /// The credentials, or `nil` when none are kept.
    ///
    /// - Throws: What the store throws; `unreadable` when it holds something else under the name.
    public func read() throws(SecretStoreError) -> CameraCredentials? {
        guard let secret = try secrets.secret(named: Self.name) else { return nil }
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(secret.reveal().utf8)) else {
            throw .unreadable(
                name: Self.name,
                detail: "it holds no identity and password. Pair the camera again."
            )
        }
        return CameraCredentials(
            device: stored.device,
            user: stored.user,
            password: Secret(stored.password),
            service: stored.service
        )
    }

    /// Keeps credentials; `nil` deletes them.
    public func write(_ credentials: CameraCredentials?) throws(SecretStoreError) {
        guard let credentials else { return try secrets.set(nil, named: Self.name) }
        let stored = Stored(
            device: credentials.device,
            user: credentials.user,
            password: credentials.password.reveal(),
            service: credentials.service
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let json = try? encoder.encode(stored) else {
            throw .invalid(name: Self.name, detail: "they cannot be written as JSON")
        }
        try secrets.set(Secret(String(decoding: json, as: UTF8.self)), named: Self.name)
    }
}
