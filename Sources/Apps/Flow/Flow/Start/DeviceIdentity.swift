public import Foundation
public import Services

/// The identity of this device: made once, and kept before it is first used.
public struct DeviceIdentity: Sendable {
    /// What it is called among the preferences.
    static let name = "flow.deviceID"

    private let preferences: any PreferenceStore

    /// An identity that is kept among preferences.
    public init(in preferences: any PreferenceStore) { self.preferences = preferences }

    /// The identity: the same at every launch.
    ///
    /// - Throws: Where it can be neither read nor kept; nothing is sent then, since the next launch would have another one.
    public func id() throws(PreferenceStoreError) -> UUID {
        if let kept = try preferences.value(for: Self.name).flatMap({ UUID(uuidString: $0) }) { return kept }
        let id = UUID()
        try preferences.set(id.uuidString, for: Self.name)
        return id
    }
}
