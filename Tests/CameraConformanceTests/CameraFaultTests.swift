import CameraSourceConformance
import Conformance
import FaultConformance
import Services
import SimulatedTransport
import Synchronization
import Testing

/// What a camera does wrong.
private enum Flaw {
    /// Hides that it could not connect.
    case swallowsErrors
    /// Delivers half of each file.
    case cutsFiles
    /// Exchanges each frame with the next one.
    case swapsFrames
}

/// A camera that has a flaw, or none.
private struct FlawedCamera: CameraSource {
    let base: VeepaHarness.Camera
    let flaw: Flaw?

    var capabilities: CameraCapabilities { base.capabilities }

    func connect() async throws(CameraError) {
        do { try await base.connect() } catch { if flaw != .swallowsErrors { throw error } }
    }

    func disconnect() async { await base.disconnect() }
    func states() -> AsyncStream<CameraState> { base.states() }
    func latestFrame() async -> VideoFrame? { await base.latestFrame().map(delivered) }
    func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }

    func frames(limit: Int) -> any FrameStream {
        FlawedFrames(base: base.frames(limit: limit), swaps: flaw == .swapsFrames, delivered: delivered)
    }

    private func delivered(_ frame: VideoFrame) -> VideoFrame {
        guard flaw == .cutsFiles, case .jpeg(let bytes) = frame.content else { return frame }
        return VideoFrame(
            sequence: frame.sequence,
            timestamp: frame.timestamp,
            size: frame.size,
            content: .jpeg(Array(bytes.prefix(bytes.count / 2)))
        )
    }
}

/// The frames of a camera with a flaw.
private final class FlawedFrames: FrameStream {
    private let base: any FrameStream
    private let swaps: Bool
    private let delivered: @Sendable (VideoFrame) -> VideoFrame
    private let held = Mutex<VideoFrame?>(nil)

    init(base: any FrameStream, swaps: Bool, delivered: @escaping @Sendable (VideoFrame) -> VideoFrame) {
        (self.base, self.swaps, self.delivered) = (base, swaps, delivered)
    }

    var dropped: Int { base.dropped }

    func next() async -> VideoFrame? {
        if let late = held.withLock({ $0.take() }) { return late }
        guard let first = await base.next().map(delivered) else { return nil }
        guard swaps, let second = await base.next() else { return first }
        held.withLock { $0 = first }
        return second
    }
}

/// Wi-Fi cameras on a network that fails.
private struct FailingNetworkHarness: CameraSourceHarness {
    let base: VeepaHarness
    let flaw: Flaw?
    let capabilities: Set<HarnessCapability> = [.openCount]
    var patience: Duration { base.patience }
    var secrets: [String] { base.secrets }

    init(_ world: FaultyWorld, _ flaw: Flaw?) {
        let (camera, phone) = (world.network.host("camera"), world.network.host("phone"))
        base = VeepaHarness { VeepaHarness.Place(camera: camera, client: phone) }
        self.flaw = flaw
    }

    func makeCamera(_ device: CameraDevice) async throws -> FlawedCamera {
        FlawedCamera(base: try await base.makeCamera(device), flaw: flaw)
    }

    func openCount(of camera: FlawedCamera) -> Int { base.openCount(of: camera.base) }
    func takeDown(_ camera: FlawedCamera) async { await base.takeDown(camera.base) }
    func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool {
        base.isRight(error, for: trouble)
    }
}

@Suite("Camera conformance on a network that fails")
struct CameraFaultTests {
    private func report(_ seeds: ClosedRange<UInt64>, _ flaw: Flaw? = nil) -> FaultReport {
        FaultSweep(seeds: seeds, patience: .seconds(300)).report(CameraSourceConformance.suite) { world in
            FailingNetworkHarness(world, flaw)
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
        let wrongs = report(7...12, .swallowsErrors).wrongs
        #expect(wrongs.contains { $0.saw.contains("a camera that is connected says so") }, "\(wrongs)")
    }

    @Test func `frames that are cut or out of order are found out there, too`() {
        for (flaw, property) in [
            (Flaw.cutsFiles, "a frame can be decoded"), (.swapsFrames, "numbers of frames rise"),
        ] {
            let wrongs = report(1...3, flaw).wrongs
            #expect(wrongs.contains { $0.saw.contains(property) }, "\(flaw): \(wrongs)")
        }
    }
}
