public import Services

extension CameraRouter {
    /// Which camera is chosen and whether it is connected.
    public struct Status: Sendable, Hashable {
        /// The chosen kind.
        public internal(set) var source: CameraSourceType = .local
        /// Its connection.
        public internal(set) var state: CameraSourceState = .disconnected
        /// Why the last connecting failed, or the camera was lost; `nil` after one that did not, and after one that was
        /// overtaken.
        public internal(set) var error: CameraError?
        /// Whether it was connected, and has gone by itself.
        public internal(set) var isLost: Bool = false
        /// How much the middle of the picture is enlarged; 1 at each connecting.
        public internal(set) var zoomLevel: Double = 1
        /// What the connected camera can do; without controls while none is.
        public internal(set) var capabilities: CameraCapabilities = CameraCapabilities()

        /// Forgets what was true of the connection.
        mutating func becomeUnconnected(_ new: CameraSourceState) {
            (state, isLost, zoomLevel, capabilities) = (new, false, 1, CameraCapabilities())
        }

        /// Compares by value; errors by what they say.
        public static func == (left: Status, right: Status) -> Bool {
            left.source == right.source && left.state == right.state && left.error == right.error
                && left.isLost == right.isLost && left.zoomLevel == right.zoomLevel
                && left.capabilities == right.capabilities
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(source)
            hasher.combine(state)
            hasher.combine(error?.description)
            hasher.combine(zoomLevel)
            hasher.combine(capabilities)
        }
    }
}
