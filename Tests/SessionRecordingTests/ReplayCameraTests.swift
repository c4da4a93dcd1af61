import Services
import SessionRecording
import Simulation
import Synchronization
import TestSupport
import Testing

/// Shows pictures of one byte each, in turn.
private final class ByteCamera: CameraSource {
    private let bytes: [UInt8]
    private let next = Mutex(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func connect() async throws(CameraError) {}

    func disconnect() async {}

    var capabilities: CameraCapabilities { CameraCapabilities(zoom: 1...3, hasFocusPoint: true) }

    func states() -> AsyncStream<CameraState> { CameraStates().stream() }

    func frames(limit: Int) -> any FrameStream { PolledFrames { await self.latestFrame() } }

    func apply(_ control: CameraControl) async throws(CameraError) { throw .configurationFailed }

    func latestFrame() async -> VideoFrame? {
        let index = next.withLock { next in
            defer { next += 1 }
            return next
        }
        guard index < bytes.count else { return nil }
        return VideoFrame(
            sequence: index,
            timestamp: .milliseconds(index),
            size: PixelSize(width: 1, height: 1),
            content: .jpeg([bytes[index]])
        )
    }
}

@Suite("Replaying a camera")
struct ReplayCameraTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func replay(_ made: [UInt8], looks: Int) throws -> Difference? {
        let path = folder.path + "/looks"
        let writer = try SessionWriter(path: path, manifest: .sample)
        return try Simulation(seed: 1).run {
            let recording = RecordingCamera(
                ByteCamera([1, 2]),
                writer: writer,
                clock: SessionClock(),
                keepsPictures: false
            )
            for _ in 0..<2 { _ = await recording.latestFrame() }
            let session = try writer.finishAndRead(
                SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil)
            )
            let comparison = Comparison()
            let camera = try ReplayCamera(
                session,
                maker: ByteCamera(made),
                clock: SessionClock(),
                comparison: comparison
            )
            for _ in 0..<looks { _ = await camera.latestFrame() }
            return comparison.firstDifference
        }
    }

    @Test func `the same pictures are the same, and another one or one look more is a difference`() throws {
        #expect(try replay([1, 2], looks: 2) == nil)
        #expect(try replay([1, 3], looks: 2)?.recorded.hasPrefix("frame 1, contents") == true)
        #expect(try replay([1, 2, 3], looks: 3)?.recorded == "nothing more")
    }

    @Test func `without the camera of the recording, its replay can do what that could`() throws {
        let path = folder.path + "/capabilities"
        let writer = try SessionWriter(path: path, manifest: .sample)
        let base = ByteCamera([1])
        try Simulation(seed: 1).run {
            let recording = RecordingCamera(base, writer: writer, clock: SessionClock(), keepsPictures: true)
            try await recording.connect()
            await recording.disconnect()
        }
        let session = try writer.finishAndRead(
            SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil)
        )
        let camera = try ReplayCamera(session, maker: nil, clock: SessionClock(), comparison: Comparison())
        #expect(camera.capabilities == base.capabilities && camera.capabilities != CameraCapabilities())
    }
}
