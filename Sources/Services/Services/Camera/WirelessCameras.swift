/// Finds cameras of the local network, and connects to them.
///
/// Safe to use from any task.
public protocol WirelessCameras: Sendable {
    /// Makes a camera that is not connected.
    ///
    /// - Parameters:
    ///   - size: The wanted picture size; the camera gives the nearest that it has.
    ///   - credentials: Which camera to use, or `nil` while none is known; called once for each `connect()`, which throws when it
    ///     throws or returns `nil`.
    func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource

    /// Looks for cameras for as long as `window` says.
    ///
    /// None found is no error.
    ///
    /// - Parameters:
    ///   - window: How long.
    ///   - found: Called once for each camera.
    /// - Throws: `CameraError.unknown` with what went wrong, or with a `CancellationError`.
    func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError)
}

/// A camera that has answered a search; nothing proves that it is what it says.
public struct DiscoveredCamera: Sendable, Hashable, Codable {
    /// The identity that it says it has.
    public var device: String
    /// Where the answer came from, for people.
    public var address: String

    /// Makes a value of its parts.
    public init(device: String, address: String) {
        (self.device, self.address) = (device, address)
    }
}
