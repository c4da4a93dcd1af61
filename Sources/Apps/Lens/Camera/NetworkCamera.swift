public import Services

/// The camera of the network: how it is found, set up and made.
///
/// Whether one is set up is decided by what the secret store has. The engine is started when it is first needed: by a launch with this
/// camera chosen, by a search, or when the camera is connected.
public struct NetworkCamera: Sendable {
    /// What reaches it.
    public let engine: DeviceEngine
    /// How to log in to it.
    public let key: CameraKey

    init(_ engine: DeviceEngine, _ key: CameraKey) {
        (self.engine, self.key) = (engine, key)
    }

    /// Looks for cameras; none found is no error.
    ///
    /// - Parameters:
    ///   - window: For how long.
    ///   - found: Called once for each camera.
    /// - Throws: `CameraError`; `unknown` with a `CancellationError` for a search that was cancelled.
    public func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        try await engine.cameras().search(for: window, found: found)
    }

    /// Starts the engine, and looks whether the camera is set up.
    ///
    /// - Throws: `unknown` with ``CameraNotSetUp``, or what the engine or the store throws.
    func check() async throws(CameraError) {
        _ = try await engine.cameras()
        _ = try await credentials()
    }

    /// Makes the camera, which reads its credentials each time it connects.
    func make(_ size: PixelSize) async throws(CameraError) -> any CameraSource {
        try await engine.cameras().camera(size: size) { try await credentials() }
    }

    /// Looks whether the camera is set up; returns what says that it is not, and no other trouble of the store, which shows when the camera
    /// is connected.
    @concurrent
    @discardableResult
    public func needsSetUp() async -> CameraNotSetUp? {
        do throws(SecretStoreError) { return try key.read() == nil ? CameraNotSetUp() : nil } catch {
            if case .unreadable = error { return CameraNotSetUp(cause: error) }
            return nil
        }
    }

    /// What is kept, as far as it can be read.
    @concurrent
    func kept() async -> CameraCredentials? { try? key.read() }

    /// Keeps credentials; `nil` deletes them.
    @concurrent
    func keep(_ credentials: CameraCredentials?) async throws(SecretStoreError) { try key.write(credentials) }

    @concurrent
    private func credentials() async throws(CameraError) -> CameraCredentials {
        let kept: CameraCredentials?
        do throws(SecretStoreError) { kept = try key.read() } catch {
            if case .unreadable = error { throw .unknown(CameraNotSetUp(cause: error)) }
            throw .unknown(error)
        }
        guard let kept else { throw .unknown(CameraNotSetUp()) }
        return kept
    }
}
