import CameraSourceConformance
import Conformance
import FaultConformance
import Services
import SimulatedTransport
import Testing

/// Wi-Fi cameras on a network that fails.
private struct FailingNetworkHarness: CameraSourceHarness {
    /// A camera that has a flaw, or none.
    struct Camera: CameraSource {
        let base: VeepaHarness.Camera
        let swallowsErrors: Bool

        var capabilities: CameraCapabilities { base.capabilities }

        func connect() async throws(CameraError) {
            do { try await base.connect() } catch { if !swallowsErrors { throw error } }
        }

        func disconnect() async { await base.disconnect() }
        func states() -> AsyncStream<CameraState> { base.states() }
        func latestFrame() async -> VideoFrame? { await base.latestFrame() }
        func frames(limit: Int) -> any FrameStream { base.frames(limit: limit) }
        func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }
    }

    let base: VeepaHarness
    let swallowsErrors: Bool
    let capabilities: Set<HarnessCapability> = [.openCount]
    var patience: Duration { base.patience }
    var secrets: [String] { base.secrets }

    init(_ world: FaultyWorld, swallowsErrors: Bool) {
        let (camera, phone) = (world.network.host("camera"), world.network.host("phone"))
        base = VeepaHarness { VeepaHarness.Place(camera: camera, client: phone) }
        self.swallowsErrors = swallowsErrors
    }

    func makeCamera(_ device: CameraDevice) async throws -> Camera {
        Camera(base: try await base.makeCamera(device), swallowsErrors: swallowsErrors)
    }

    func openCount(of camera: Camera) -> Int { base.openCount(of: camera.base) }
    func takeDown(_ camera: Camera) async { await base.takeDown(camera.base) }
    func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool {
        base.isRight(error, for: trouble)
    }
}

@Suite("Camera conformance on a network that fails")
struct CameraFaultTests {
    private func report(_ seeds: ClosedRange<UInt64>, swallowsErrors: Bool = false) -> FaultReport {
        FaultSweep(seeds: seeds, patience: .seconds(300)).report(CameraSourceConformance.suite) { world in
            FailingNetworkHarness(world, swallowsErrors: swallowsErrors)
        }
    }

    @Test
    func
        `whatever fails, a Wi-Fi camera shows whole pictures in order or says that it was lost, and can be used again`()
    {
        let report = report(1...12)
        #expect(report.wrongs == [], "\(report)")
        // Failures bite, and not always.
        #expect(report.entries.contains { !$0.gaveUp.isEmpty }, "\(report)")
        #expect(report.entries.filter(\.skipped.isEmpty).allSatisfy { $0.passed > 6 }, "\(report)")
    }

    @Test func `a camera that hides that it could not connect is found out`() {
        let wrongs = report(7...12, swallowsErrors: true).wrongs
        #expect(wrongs.contains { $0.saw.contains("a camera that is connected says so") }, "\(wrongs)")
    }
}
