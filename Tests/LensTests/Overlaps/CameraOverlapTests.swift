import AppKernel
import Concurrency
import FakeCamera
import Lens
import Services
import SimulationTesting
import Synchronization
import Testing

@Suite("Cameras that are exchanged while they answer", .simulated(seeds: 1...25, configuration: .shortWaits))
struct CameraOverlapTests {
    /// A camera whose answers wait at the gates.
    private final class SlowCamera: CameraSource {
        let base: FakeCamera
        private let connecting: Gates
        private let answering: Gates

        /// Connecting and answers to controls may wait at gates of their own.
        init(_ connecting: Gates, _ answering: Gates) {
            base = FakeCamera(.init(size: PixelSize(width: 160, height: 90)))
            (self.connecting, self.answering) = (connecting, answering)
        }

        var capabilities: CameraCapabilities { base.capabilities }
        func states() -> AsyncStream<CameraState> { base.states() }
        func frames(limit: Int) -> any FrameStream { base.frames(limit: limit) }
        func latestFrame() async -> VideoFrame? { await base.latestFrame() }

        func connect() async throws(CameraError) {
            await connecting.pass()
            try await base.connect()
        }

        func disconnect() async { await base.disconnect() }

        func apply(_ control: CameraControl) async throws(CameraError) {
            try await base.apply(control)
            await answering.pass()
        }
    }

    @Test func `the zoom that is shown is that of the camera that is connected`() async throws {
        let gates = Gates()
        let cameras = [CameraSourceType.local, .veepaWiFi].reduce(into: [:]) { cameras, type in
            cameras[type] = SlowCamera(gates, gates)
        }
        let router = CameraRouter(factories: cameras.mapValues { camera in { _ in camera } })
        let isZooming = Mutex(false)
        let overlap = Overlap(
            gates: gates,
            actions: [
                {
                    // A user has one finger: the next wish waits for the answer, as on the screen.
                    guard
                        isZooming.withLock({ zooming in
                            defer { zooming = true }
                            return !zooming
                        })
                    else { return }
                    try? await router.setZoom(Double(Int.random(in: 2...8)) / 2)
                    isZooming.withLock { $0 = false }
                },
                { try? await router.switchTo(.local) }, { try? await router.switchTo(.veepaWiFi) },
                { try? await router.connect() },
                { if Int.random(in: 0..<4) == 0 { await router.disconnect() } },
                { if Int.random(in: 0..<4) == 0 { cameras.values.randomElement()?.base.unplug() } },
            ]
        )
        for _ in 0..<4 {
            for camera in cameras.values { camera.base.plug() }
            try? await router.connect()
            await overlap.round(30)
            for _ in 0..<20 { await Task.yield() }
            let status = router.status.value
            if status.state == .connected, let camera = cameras[status.source] {
                #expect(status.zoomLevel == camera.base.zoom)
            } else {
                #expect(status.zoomLevel == 1)
            }
            await router.disconnect()
            for camera in cameras.values { #expect(camera.base.zoom == 1, "nothing stays connected") }
        }
    }

    @Test func `a zoom that is answered after the camera was exchanged is not that of the new one`()
        async throws
    {
        let (connecting, answering) = (Gates(), Gates())
        let cameras: [CameraSourceType: SlowCamera] = [
            .local: SlowCamera(connecting, answering), .veepaWiFi: SlowCamera(connecting, answering),
        ]
        let router = CameraRouter(factories: cameras.mapValues { camera in { _ in camera } })
        try await router.connect()
        for round in 0..<6 {
            answering.close()
            let zooming = Task { try? await router.setZoom(3) }
            while answering.waiting == 0 { await Task.yield() }
            for _ in 0..<Int.random(in: 0..<5) { await Task.yield() }
            try await router.switchTo(round.isMultiple(of: 2) ? .veepaWiFi : .local)
            answering.open()
            _ = await zooming.value
            #expect(router.status.value.zoomLevel == 1)
            #expect(await router.latestFrame() != nil)
        }
    }
}
