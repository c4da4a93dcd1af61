import Concurrency
import Lens
import Services
import Synchronization

/// Cameras of a network, and what was asked of them, in order.
final class ScriptedNetworkCameras: WirelessCameras {
    private struct State {
        var credentials: [CameraCredentials] = []
        var made = 0
    }

    private let state = Mutex(State())
    let log: CurrentValue<[String]>
    private let found: [DiscoveredCamera]
    private let failure: CameraError?
    /// Whether a search takes all of its time.
    private let takesTime: Bool
    let camera: ScriptedCamera
    /// With what connecting fails.
    let refusal = CurrentValue<CameraError?>(nil)

    /// - Parameters:
    ///   - log: Where each step is noted, beside those of others.
    ///   - failure: With what searches end.
    init(
        found: [DiscoveredCamera] = [],
        log: CurrentValue<[String]> = CurrentValue([]),
        failure: CameraError? = nil,
        takesTime: Bool = false
    ) {
        (self.found, self.log, self.failure, self.takesTime) = (found, log, failure, takesTime)
        camera = ScriptedCamera("wireless", log: log)
        camera.show(2)
    }

    /// With what was connected.
    var credentials: [CameraCredentials] { state.withLock { $0.credentials } }
    /// How often the engine was made.
    var made: Int { state.withLock { $0.made } }

    func note(_ step: String) { log.update { $0.append(step) } }

    /// Makes the engine, which takes its time.
    var factory: DeviceEngine.Factory {
        {
            self.state.withLock { $0.made += 1 }
            self.note("engine")
            for _ in 0..<10 { await Task.yield() }
            return self
        }
    }

    func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource {
        note("make \(size.width)")
        return CredentialedCamera(base: camera, cameras: self, credentials: credentials)
    }

    func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        note("search")
        for camera in self.found { await found(camera) }
        if takesTime {
            try? await Task.sleep(for: window)
            note(Task.isCancelled ? "search cancelled" : "search over")
        }
        if let failure { throw failure }
    }

    fileprivate func noteConnect(_ credentials: CameraCredentials) {
        state.withLock { $0.credentials.append(credentials) }
    }
}

private struct CredentialedCamera: CameraSource {
    let base: ScriptedCamera
    let cameras: ScriptedNetworkCameras
    let credentials: @Sendable () async throws -> CameraCredentials?

    func connect() async throws(CameraError) {
        let found: CameraCredentials?
        do { found = try await credentials() } catch { throw error as? CameraError ?? .unknown(error) }
        guard let found else { throw .deviceNotFound }
        cameras.noteConnect(found)
        if let refusal = cameras.refusal.value { throw refusal }
        try await base.connect()
    }

    func disconnect() async { await base.disconnect() }

    var capabilities: CameraCapabilities { base.capabilities }
    func states() -> AsyncStream<CameraState> { base.states() }
    func latestFrame() async -> VideoFrame? { await base.latestFrame() }
    func frames(limit: Int) -> any FrameStream { base.frames(limit: limit) }
    func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }
}
