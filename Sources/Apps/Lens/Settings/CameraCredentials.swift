internal import Foundation
public import Services

/// How the wireless camera is reached in its peer-to-peer network.
public struct CameraCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The camera's identity.
    public var device: String
    /// What opens it.
    public var password: Secret

    /// Makes credentials of their parts.
    public init(device: String, password: Secret) {
        self.device = device
        self.password = password
    }

    /// Nothing of them: who knows the identity can look for the camera.
    public var description: String { "<camera credentials>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The credentials of the wireless camera, in the secret store.
public struct CameraKey: Sendable {
    /// The name under which they are kept.
    public static let name: String = "veepa_p2p_credentials"

    private let secrets: any SecretStore

    private struct Stored: Codable {
        var device: String
        var password: String
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
        return CameraCredentials(device: stored.device, password: Secret(stored.password))
    }

    /// Keeps credentials; `nil` deletes them.
    public func write(_ credentials: CameraCredentials?) throws(SecretStoreError) {
        guard let credentials else { return try secrets.set(nil, named: Self.name) }
        let stored = Stored(device: credentials.device, password: credentials.password.reveal())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let json = try? encoder.encode(stored) else {
            throw .invalid(name: Self.name, detail: "they cannot be written as JSON")
        }
        try secrets.set(Secret(String(decoding: json, as: UTF8.self)), named: Self.name)
    }
}
