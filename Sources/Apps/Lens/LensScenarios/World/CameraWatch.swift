import Lens
import Services
import Synchronization

/// Knows which of the phone's cameras are on.
final class CameraWatch: Sendable {
    private struct State {
        var on: Set<String> = []
        var most = 0
    }

    private let state = Mutex(State())

    /// The cameras that are on, or are being switched on.
    var on: Set<String> { state.withLock(\.on) }
    /// How many were on at once.
    var most: Int { state.withLock(\.most) }

    /// The camera, seen by this.
    func watching(_ camera: any CameraSource, as name: String) -> any CameraSource {
        WatchedCamera(base: camera, name: name, watch: self)
    }

    /// The camera, seen by this once it is connected: a connecting that was cancelled, and succeeds nevertheless, is undone by its caller.
    func watchingConnected(_ camera: any CameraSource, as name: String) -> any CameraSource {
        WatchedCamera(base: camera, name: name, watch: self, countsConnecting: false)
    }

    /// Notes that the phone has started again: nothing is on.
    func powerOff() { state.withLock { $0.on = [] } }

    fileprivate func note(_ name: String, isOn: Bool) {
        state.withLock { state in
            if isOn { state.on.insert(name) } else { state.on.remove(name) }
            state.most = max(state.most, state.on.count)
        }
    }
}

/// Cameras of the network, seen by a watch.
struct WatchedNetworkCameras: WirelessCameras {
    let base: any WirelessCameras
    let watch: CameraWatch

    func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource {
        watch.watching(
            base.camera(size: size, credentials: credentials),
            as: CameraSourceType.veepaWiFi.rawValue
        )
    }

    func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        try await base.search(for: window, found: found)
    }
}

private struct WatchedCamera: CameraSource {
    let base: any CameraSource
    let name: String
    let watch: CameraWatch
    /// Whether one that is being connected counts as on.
    var countsConnecting = true

    func connect() async throws(CameraError) {
        if countsConnecting { watch.note(name, isOn: true) }
        do throws(CameraError) { try await base.connect() } catch {
            watch.note(name, isOn: false)
            throw error
        }
        if !Task.isCancelled { watch.note(name, isOn: true) }
    }

    func disconnect() async {
        await base.disconnect()
        watch.note(name, isOn: false)
    }

    var capabilities: CameraCapabilities { base.capabilities }

    func states() -> AsyncStream<CameraState> { base.states() }

    func latestFrame() async -> VideoFrame? { await base.latestFrame() }

    func frames(limit: Int) -> any FrameStream { base.frames(limit: limit) }

    func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }
}
