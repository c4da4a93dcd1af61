/// The kinds of camera that the app can use.
public enum CameraSourceType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A camera of this device.
    case local
    /// A camera on the network.
    case veepaWiFi
}
