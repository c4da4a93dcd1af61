import GRDB
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

    private static func execute(_ sql: String, in path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// - Parameter change: Changes the file before it is replayed.
    private func replay(_ made: [UInt8], looks: Int, change: String = "") throws -> Difference? {
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
            try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
            try Self.execute(change, in: path)
            let comparison = Comparison()
            let camera = try ReplayCamera(
                SessionReader(path: path),
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

    @Test func `pictures of older recordings are compared by the hash of those`() throws {
        let hashes = [1, 2].map { Int64(bitPattern: ContentHash.serial([$0 as UInt8])) }
        let change = """
            UPDATE look SET hash = CASE sequence WHEN 0 THEN \(hashes[0]) ELSE \(hashes[1]) END;
            PRAGMA user_version =
            """
        #expect(try replay([1, 2], looks: 2, change: "\(change) 5") == nil)
        #expect(try replay([1, 3], looks: 2, change: "\(change) 5")?.place == "capture 1 of the camera")
        #expect(try replay([1, 2], looks: 2, change: "\(change) 6")?.place == "capture 0 of the camera")
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
