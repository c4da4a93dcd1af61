/// The kinds of camera that the app can use.
public enum CameraSourceType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A camera of this device.
    case local
    /// A camera on the network.
    case veepaWiFi
}

/// Where the connection to the current camera stands.
public enum CameraSourceState: Sendable, Hashable {
    case disconnected
    case connecting
    case connected
    /// The last connecting failed; trying again is possible.
    case failed
}
