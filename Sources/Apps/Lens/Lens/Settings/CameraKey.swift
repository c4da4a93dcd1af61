public import Concurrency
internal import Foundation
public import Services
internal import Synchronization

/// The credentials of the camera of the network, in the secret store.
///
/// A store may wait for a file, for another process and for the work of a passphrase: no call belongs on the main actor.
/// Safe to use from any task.
public final class CameraKey: Sendable {
    /// The name under which they are kept.
    public static let name: String = "veepa_p2p_credentials"

    /// Whether credentials are kept, as far as they were read or written last; false when they cannot be read.
    public var isKept: Published<Bool> { lastKept.published }

    private let lastKept = CurrentValue(false)
    /// What was done last is noted last.
    private let order = Mutex(())
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
    @discardableResult
    public func read() throws(SecretStoreError) -> CameraCredentials? {
        try order.withLock { _ throws(SecretStoreError) in try readInOrder() }
    }

    private func readInOrder() throws(SecretStoreError) -> CameraCredentials? {
        do throws(SecretStoreError) {
            guard let secret = try secrets.secret(named: Self.name) else {
                note(isKept: false)
                return nil
            }
            let credentials = try Self.credentials(in: secret)
            note(isKept: true)
            return credentials
        } catch {
            note(isKept: false)
            throw error
        }
    }

    private static func credentials(in secret: Secret) throws(SecretStoreError) -> CameraCredentials {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(secret.reveal().utf8)) else {
            throw .unreadable(
                name: Self.name,
                detail: "it holds no identity, user and password. Set the camera up again."
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
        try order.withLock { _ throws(SecretStoreError) in try writeInOrder(credentials) }
    }

    private func writeInOrder(_ credentials: CameraCredentials?) throws(SecretStoreError) {
        guard let credentials else {
            try secrets.set(nil, named: Self.name)
            return note(isKept: false)
        }
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
        note(isKept: true)
    }

    private func note(isKept: Bool) {
        if isKept != lastKept.value { lastKept.set(isKept) }
    }
}
