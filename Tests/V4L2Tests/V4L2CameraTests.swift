import CV4L2
import Services
import SimulatedV4L2
import Simulation
import SimulationTesting
import Testing
import V4L2Camera
import VideoSystem

/// The camera over simulated drivers, which are spoken to by the same requests as real ones.
@Suite("V4L2 camera", .simulated(seeds: 1...20))
struct V4L2CameraTests {
    private static let small = PixelSize(width: 64, height: 48)

    private func camera(
        _ system: SimulatedVideoSystem,
        _ path: String = "/dev/video0",
        size: PixelSize = small,
        rate: Double = 30,
        format: VideoFormat? = nil
    ) -> V4L2Camera {
        V4L2Camera(
            path: path,
            options: .init(size: size, framesPerSecond: rate, format: format),
            system: system
        )
    }

    /// What a byte of luma becomes, from limited to full range.
    private func full(_ shade: UInt8) -> Int { Int(((Double(shade) - 16) * 255 / 219).rounded()) }

    @Test func `frames are whole, in order and in time, though the driver writes over what it has back`()
        async throws
    {
        let system = SimulatedVideoSystem([SimulatedVideoCamera(padding: 8)])
        let camera = camera(system)
        try await camera.connect()
        let frames = camera.frames(limit: 4)
        for number in 0..<60 {
            let frame = try #require(await frames.next())
            #expect(frame.sequence == number && frame.size == Self.small)
            guard case .pixels(let picture) = frame.content else { throw CancellationError() }
            let expected = full(SimulatedVideoCamera.shade(of: UInt32(number)))
            let isWhole = unsafe picture.withBytes { bytes in
                unsafe bytes[..<Self.small.area].allSatisfy { abs(Int($0) - expected) <= 1 }
            }
            #expect(isWhole, "frame \(number)")
            let due = Duration.nanoseconds(1_000_000_000 / 30 * (number + 1))
            #expect((due - .milliseconds(2)...due + .milliseconds(60)).contains(frame.timestamp))
        }
        #expect(frames.dropped == 0)
        #expect(camera.statistics == CaptureStatistics(frames: 60))
        await camera.disconnect()
        #expect(await camera.latestFrame() == nil && camera.mode == nil)
        #expect(await frames.next() == nil)
        #expect(system.openCount == 0 && system.mappedCount == 0)
    }

    @Test func `a late reader misses frames, the newest wins, and the driver loses none`() async throws {
        let camera = camera(SimulatedVideoSystem([SimulatedVideoCamera()]))
        try await camera.connect()
        let frames = camera.frames(limit: 3)
        _ = await frames.next()
        try await Task.sleep(for: .seconds(2))
        let newest = try #require(await camera.latestFrame()).sequence
        #expect((58...61).contains(newest))
        #expect(await frames.next()?.sequence == newest - 2)
        #expect(frames.dropped == newest - 3)
        #expect(camera.statistics?.lost == 0)
        await camera.disconnect()
    }

    @Test func `Motion-JPEG is passed on as the camera made it`() async throws {
        let file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
        let formats = ["YUYV", "MJPG"].map { SimulatedVideoCamera.Format($0, [Self.small]) }
        let system = SimulatedVideoSystem([SimulatedVideoCamera(formats: formats, files: [file])])
        let camera = camera(system)
        try await camera.connect()
        #expect(camera.mode == VideoMode(format: .motionJPEG, size: Self.small, rate: 30))
        guard case .jpeg(file) = await camera.frames(limit: 1).next()?.content else {
            Issue.record("the file is another")
            return
        }
        await camera.disconnect()
    }

    @Test func `the nearest size, the slowest rate that is enough and the wanted format are taken`()
        async throws
    {
        let large = PixelSize(width: 128, height: 96)
        let formats = [
            SimulatedVideoCamera.Format("YUYV", [Self.small, large], rates: [10]),
            SimulatedVideoCamera.Format("NV12", [large], rates: [60, 25, 5]),
        ]
        let system = SimulatedVideoSystem([SimulatedVideoCamera(formats: formats)])
        for (size, rate, format, expected) in [
            (PixelSize(width: 120, height: 90), 20, nil, VideoMode(format: .nv12, size: large, rate: 25)),
            (large, 8, nil, VideoMode(format: .yuyv, size: large, rate: 10)),
            (PixelSize(width: 1, height: 1), 99, nil, VideoMode(format: .yuyv, size: Self.small, rate: 10)),
            (Self.small, 30, .nv12, VideoMode(format: .nv12, size: large, rate: 60)),
        ] as [(PixelSize, Double, VideoFormat?, VideoMode)] {
            let camera = camera(system, size: size, rate: rate, format: format)
            try await camera.connect()
            #expect(camera.mode == expected)
            #expect(camera.capabilities.sizes == [large, Self.small])
            #expect(await camera.frames(limit: 1).next()?.size == expected.size)
            await camera.disconnect()
        }
    }

    @Test(
        "of a range of rates the wanted one is taken, or the end that is nearest",
        arguments: [(24, 24), (30, 30), (99, 60), (1, 5)] as [(Double, Double)]
    )
    func rateOfARange(wanted: Double, taken: Double) async throws {
        let formats = [SimulatedVideoCamera.Format("YUYV", [Self.small], rateRange: 5...60)]
        let system = SimulatedVideoSystem([SimulatedVideoCamera(formats: formats)])
        let camera = camera(system, rate: wanted)
        try await camera.connect()
        #expect(camera.mode?.rate == taken)
        #expect(camera.description?.formats.first?.sizes.first?.rateRange == 5...60)
        // The driver has it too: frames come as often.
        let frames = camera.frames(limit: 4)
        let first = try #require(await frames.next())
        for _ in 0..<10 { _ = await frames.next() }
        let last = try #require(await frames.next())
        let period = (last.timestamp - first.timestamp) / (last.sequence - first.sequence)
        #expect(abs(period / .seconds(1) - 1 / taken) < 0.002)
        await camera.disconnect()
    }

    @Test(
        "a simulated driver with a range of rates has none outside it, also before one was asked for",
        arguments: [(1...20, 20), (40...60, 40), (5...60, 30)] as [(ClosedRange<UInt32>, UInt32)]
    )
    func usualRate(range: ClosedRange<UInt32>, usual: UInt32) async throws {
        let formats = [SimulatedVideoCamera.Format("YUYV", [Self.small], rateRange: range)]
        let system = SimulatedVideoSystem([SimulatedVideoCamera(formats: formats)])
        let device = try await system.open("/dev/video0")
        func rate(_ request: UInt) -> UInt32 {
            // An interval of 0 asks for the driver's own.
            var parameters = v4l2_streamparm()
            parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            #expect(unsafe device.request(request, &parameters) == 0)
            return unsafe parameters.parm.capture.timeperframe.denominator
        }
        #expect(rate(CV4L2_G_PARM) == usual && rate(CV4L2_S_PARM) == usual)
        await device.close()
    }

    @Test func `a camera without a zoom shows all of the picture, and can be told so`() async throws {
        let camera = camera(SimulatedVideoSystem([SimulatedVideoCamera()]))
        try await camera.connect()
        try await camera.apply(.zoom(1))
        await #expect(throws: CameraError.configurationFailed) { try await camera.apply(.zoom(2)) }
        await camera.disconnect()
    }

    @Test func `a camera that is unplugged is lost at once, and connects again when it is back`() async throws
    {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        let camera = camera(system)
        var states = camera.states().makeAsyncIterator()
        #expect(await states.next() == .disconnected)
        try await camera.connect()
        #expect(await states.next() == .connected)
        let frames = camera.frames(limit: 2)
        _ = await frames.next()
        let pulled = ContinuousClock.now
        system.unplug("video0")
        #expect(await states.next() == .lost(.deviceNotFound))
        #expect(ContinuousClock.now - pulled < .milliseconds(100))
        #expect(await camera.latestFrame() == nil)
        while await frames.next() != nil {}
        #expect(system.openCount == 0 && system.mappedCount == 0)
        await #expect(throws: CameraError.deviceNotFound) { try await camera.connect() }
        #expect(camera.lastFailure?.description.contains("/dev/video0: could not open the device") == true)
        system.plug("video0")
        try await camera.connect()
        #expect(await camera.frames(limit: 1).next()?.sequence == 0)
        await camera.disconnect()
        #expect(await states.next() == .connected)
        #expect(await states.next() == .disconnected)
    }

    @Test(
        "frames that wait when a camera is lost are gone when it is off, or connected again",
        arguments: [true, false]
    )
    func lostFrames(isDisconnected: Bool) async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        let camera = camera(system)
        try await camera.connect()
        let (late, quick) = (camera.frames(limit: 4), camera.frames(limit: 4))
        for _ in 0..<4 { _ = try #require(await quick.next()) }
        var states = camera.states().makeAsyncIterator()
        system.unplug("video0")
        while let state = await states.next(), state == .connected {}
        system.plug("video0")
        #expect(await late.next() != nil, "what waits is still read")
        if isDisconnected { await camera.disconnect() } else { try await camera.connect() }
        #expect(await late.next() == nil)
        #expect(await quick.next() == nil)
        await camera.disconnect()
    }

    @Test func `one that another program has is busy, and free when that ends`() async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        let (first, second) = (camera(system), camera(system))
        try await first.connect()
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await second.connect() }
        #expect(second.lastFailure?.description.contains("another program uses the camera") == true)
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await first.connect() }
        #expect(await first.frames(limit: 1).next() != nil, "it goes on")
        await first.disconnect()
        try await second.connect()
        await second.disconnect()
    }

    @Test func `a node of metadata is no camera, and a format that nobody reads is refused`() async throws {
        let system = SimulatedVideoSystem([
            SimulatedVideoCamera(isCapture: false),
            SimulatedVideoCamera(formats: [.init("GREY", [Self.small])]),
        ])
        for path in ["/dev/video0", "/dev/video1"] {
            let camera = camera(system, path)
            await #expect(throws: CameraError.inputConfigurationFailed) { try await camera.connect() }
        }
        #expect(system.openCount == 0)
        let found = try await V4L2Devices(system: system).all()
        #expect(found.map(\.isCamera) == [false, true])
        #expect(found[1].formats.map(\.format.description) == ["GREY"])
    }

    @Test func `zoom and brightness are changed where they are offered, and zoom is 1 at each connecting`()
        async throws
    {
        let system = SimulatedVideoSystem([
            SimulatedVideoCamera(controls: [.zoom, .brightness]), SimulatedVideoCamera(),
        ])
        let camera = camera(system)
        await #expect(throws: CameraError.deviceNotFound) { try await camera.apply(.zoom(2)) }
        try await camera.connect()
        #expect(camera.capabilities.zoom == 1...4 && !camera.capabilities.hasFocusPoint)
        try await camera.apply(.zoom(2.5))
        #expect(system.value(of: SimulatedVideoCamera.Control.zoom.id, of: "video0") == 250)
        await #expect(throws: CameraError.configurationFailed) { try await camera.apply(.zoom(4.1)) }
        try await camera.set("brightness", to: -20)
        #expect(system.value(of: SimulatedVideoCamera.Control.brightness.id, of: "video0") == -20)
        await #expect(throws: CameraError.configurationFailed) { try await camera.set("brightness", to: 65) }
        await camera.disconnect()
        try await camera.connect()
        #expect(system.value(of: SimulatedVideoCamera.Control.zoom.id, of: "video0") == 100)
        await camera.disconnect()

        let plain = self.camera(system, "/dev/video1")
        try await plain.connect()
        #expect(plain.capabilities.zoom == 1...1)
        await #expect(throws: CameraError.configurationFailed) { try await plain.apply(.zoom(2)) }
        await plain.disconnect()
    }

    @Test func `a camera that nobody holds any more gives its device back`() async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        do {
            let camera = camera(system)
            try await camera.connect()
        }
        try await Task.sleep(for: .seconds(1))
        #expect(system.openCount == 0 && system.mappedCount == 0)
    }

    @Test func `cameras that come and go are seen`() async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera(card: "A"), SimulatedVideoCamera(card: "B")])
        system.unplug("video1")
        var changes = V4L2Devices(system: system).changes().makeAsyncIterator()
        func text(_ change: V4L2Devices.Change?) -> String? {
            switch change {
            case .added(let device): "\(device.path) \(device.card)"
            case .removed(let path): path
            case nil: nil
            }
        }
        #expect(text(await changes.next()) == "/dev/video0 A")
        system.plug("video1")
        #expect(text(await changes.next()) == "/dev/video1 B")
        system.unplug("video0")
        #expect(text(await changes.next()) == "/dev/video0")
    }
}
