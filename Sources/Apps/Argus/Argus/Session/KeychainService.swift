public import Foundation
public import Services

/// What the app keeps secret: the session with the hub, whose parts never part, and what survives a sign-out.
public struct KeychainService: Sendable {
    /// What the session is called in the store: access token, refresh token and the end of the first as one secret.
    public static let sessionName: String = "argus.session"
    /// What this device is called there.
    public static let deviceName: String = "argus.deviceID"
    /// What the paired hub is called there.
    public static let hubName: String = "argus.hub"

    /// Where it is kept.
    public let store: any SecretStore

    /// Keeps everything in a store.
    public init(_ store: any SecretStore) { self.store = store }

    /// What this device is called at every hub: made once, and kept before it is first used.
    ///
    /// - Throws: Where it can be neither read nor kept; nothing is sent then, since the next launch would have another one.
    public func deviceID() throws(SecretStoreError) -> UUID {
        if let kept = try store.secret(named: Self.deviceName).flatMap({ UUID(uuidString: $0.reveal()) }) {
            return kept
        }
        let id = UUID()
        try store.set(Secret(id.uuidString.lowercased()), named: Self.deviceName)
        return id
    }

    /// The hub that this device is paired with; `nil` where there is none.
    public func hub() throws(SecretStoreError) -> PairedHub? {
        try store.secret(named: Self.hubName).flatMap { PairedHub($0.reveal()) }
    }

    /// Keeps which hub this device is paired with.
    public func setHub(_ hub: PairedHub) throws(SecretStoreError) {
        try store.set(Secret(hub.text), named: Self.hubName)
    }
}
