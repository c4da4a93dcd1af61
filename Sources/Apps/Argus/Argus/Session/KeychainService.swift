public import Foundation
public import Services

/// What the app keeps secret: the session with the hub, whose parts never part, and what survives a sign-out.
public struct KeychainService: Sendable {
    /// What the session is called in the store: access token, refresh token and the end of the first as one secret.
    public static let sessionName: String = "argus.session"
    /// What this device is called there.
    public static let deviceName: String = "argus.deviceID"
    /// What the paired hub is called there.
    public static let hubName: String = "argus.hubID"

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

    /// What stands for a hub that does not say what it is called.
    public static let namelessHub: String = ""

    /// The hub that this device is paired with, as it calls itself on the network; `nil` where there is none.
    public func hubID() throws(SecretStoreError) -> String? {
        try store.secret(named: Self.hubName)?.reveal()
    }

    /// Keeps which hub this device is paired with; `nil` forgets it.
    public func setHubID(_ id: String?) throws(SecretStoreError) {
        try store.set(id.map { Secret($0) }, named: Self.hubName)
    }
}
