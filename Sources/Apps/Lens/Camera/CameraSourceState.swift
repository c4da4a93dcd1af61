/// Where the connection to the current camera stands.
public enum CameraSourceState: Sendable, Hashable {
    case disconnected
    case connecting
    case connected
    /// The last connecting failed; trying again is possible.
    case failed
}
