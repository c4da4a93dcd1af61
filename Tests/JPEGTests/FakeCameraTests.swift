import FakeCamera
import JPEG
import Services
import Testing

@Suite("Fake camera")
struct FakeCameraTests {
    /// One frame in eleven days: no test sees the second.
    private let slow = 0.000_001
    /// A frame each nanosecond: no test sees one twice.
    private let fast = 1_000_000_000.0

    @Test("LENS-250 frames have the scripted size, number and time, and start at once on connecting")
    func sizeAndFirstFrame() async throws {
        let size = PixelSize(width: 322, height: 200)
        let camera = FakeCamera(.init(size: size, framesPerSecond: slow))
        #expect(await camera.latestFrame() == nil)
        try await camera.connect()
        let frame = try #require(await camera.latestFrame())
        #expect(frame.size == size && frame.pixels.size == size && frame.pixels.layout == .i420)
        #expect(frame.sequence == 0 && frame.timestamp == .zero)
        await camera.disconnect()
        await camera.disconnect()
        #expect(await camera.latestFrame() == nil)
    }

    @Test(
        "LENS-250 the rate decides which frame is newest: the same object within a period, a later one after"
    )
    func rate() async throws {
        let camera = FakeCamera(.init(framesPerSecond: slow))
        try await camera.connect()
        let first = try #require(await camera.latestFrame())
        #expect(await camera.latestFrame()?.pixels === first.pixels)
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await camera.connect() }
        #expect(await camera.latestFrame()?.pixels === first.pixels, "a connected source stays connected")

        let racing = FakeCamera(.init(framesPerSecond: fast))
        try await racing.connect()
        let before = try #require(await racing.latestFrame())
        let after = try #require(await racing.latestFrame())
        #expect(after.sequence > before.sequence)
        #expect(after.timestamp == .nanoseconds(after.sequence))
        #expect(FrameCode.read(from: after.pixels)?.sequence == after.sequence)
    }

    @Test(
        "LENS-250 pictures depend on seed and number only",
        arguments: [FakeCamera.Scene.shapes(detail: 0.4), .noise]
    )
    func determinism(scene: FakeCamera.Scene) {
        func picture(_ seed: UInt64, _ number: Int) -> [UInt8] {
            Pictures.bytes(of: FakeCamera(.init(scene: scene, seed: seed)).frame(number).pixels)
        }
        #expect(picture(4, 100) == picture(4, 100))
        #expect(picture(4, 100) != picture(5, 100))
        #expect(picture(4, 100) != picture(4, 101))
        let camera = FakeCamera(.init(scene: scene, seed: 4))
        _ = camera.frame(7)
        #expect(Pictures.bytes(of: camera.frame(100).pixels) == picture(4, 100))
    }

    @Test("LENS-250 a still scene changes only under the frame code")
    func still() {
        let still = FakeCamera(.init(seed: 77)).frame(0).pixels
        let camera = FakeCamera(.init(scene: .still(still)))
        let frame = camera.frame(12)
        #expect(FrameCode.read(from: frame.pixels)?.sequence == 12)
        // The code ends above row 60 of 180.
        let rest = 320 * 60..<320 * 180
        #expect(Pictures.bytes(of: frame.pixels)[rest] == Pictures.bytes(of: still)[rest])
    }

    @Test("LENS-250 prepared files are delivered in turn, as they are")
    func prepared() async throws {
        let files = try (0..<3).map { try JPEGEncoder().encode(Pictures.gradient(64, 32 + $0), quality: 50) }
        let camera = FakeCamera(.init(size: PixelSize(width: 64, height: 32), scene: .prepared(files)))
        for number in 0..<7 {
            guard case .jpeg(let file) = camera.frame(number).content else {
                Issue.record("not a file")
                return
            }
            #expect(file == files[number % 3])
        }
    }

    @Test("LENS-250 a denied camera does not connect")
    func denied() async {
        let camera = FakeCamera(.init(faults: [.permissionDenied]))
        await #expect(throws: CameraError.permissionDenied) { try await camera.connect() }
        #expect(await camera.latestFrame() == nil)
    }

    @Test("LENS-250 an absent camera does not connect")
    func absent() async {
        let camera = FakeCamera(.init(faults: [.absent]))
        await #expect(throws: CameraError.deviceNotFound) { try await camera.connect() }
    }

    @Test("LENS-250 a stalled camera repeats its newest frame, and goes on afterwards with a gap")
    func stall() async throws {
        let endless = FakeCamera(
            .init(framesPerSecond: fast, faults: [.stall(from: .nanoseconds(1), until: .seconds(86_400))])
        )
        try await endless.connect()
        let frame = try #require(await endless.latestFrame())
        #expect(frame.sequence == 0)
        #expect(await endless.latestFrame()?.pixels === frame.pixels)

        let past = FakeCamera(
            .init(framesPerSecond: fast, faults: [.stall(from: .zero, until: .nanoseconds(2))])
        )
        try await past.connect()
        _ = await past.latestFrame()
        #expect(try #require(await past.latestFrame()).sequence >= 2)

        let fromTheStart = FakeCamera(.init(faults: [.stall(from: .zero, until: .seconds(86_400))]))
        try await fromTheStart.connect()
        #expect(await fromTheStart.latestFrame() == nil)
    }

    @Test("LENS-250 an unplugged camera ends its frames, refuses to connect, and works again when it is back")
    func unplug() async throws {
        let gone = FakeCamera(.init(faults: [.unplug(at: .nanoseconds(1), until: nil)]))
        try await gone.connect()
        #expect(await gone.latestFrame() == nil)
        await #expect(throws: CameraError.deviceNotFound) { try await gone.connect() }

        let back = FakeCamera(.init(faults: [.unplug(at: .nanoseconds(1), until: .nanoseconds(2))]))
        try await back.connect()
        #expect(await back.latestFrame() == nil, "a lost connection does not come back by itself")
        try await back.connect()
        #expect(await back.latestFrame()?.sequence == 0)
    }

    @Test("a frame that is still held is never drawn over")
    func heldFramesStay() {
        let camera = FakeCamera()
        let held = (0..<8).map { camera.frame($0) }
        for number in 8..<40 { _ = camera.frame(number) }
        for frame in held { #expect(FrameCode.read(from: frame.pixels)?.sequence == frame.sequence) }
    }
}
