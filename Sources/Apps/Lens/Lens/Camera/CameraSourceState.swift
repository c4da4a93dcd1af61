/// Where the connection to the current camera stands.
public enum CameraSourceState: String, Sendable, Hashable, Codable, CaseIterable {
    case disconnected
    case connecting
    case connected
    /// The last connecting failed; trying again is possible.
    case failed
}
