import PeerKit
import Services
import SimulatedV4L2
import Simulation
import SimulationTesting
import TestSupport
import Testing
import V4L2Camera

/// A canary for each fault point of the simulated drivers, and what the camera makes of it.
@Suite("V4L2 faults", .simulated(seeds: 1...10))
struct V4L2FaultTests {
    private let system = SimulatedVideoSystem([SimulatedVideoCamera(controls: [.brightness])])

    private func arm(_ point: String, _ values: [String: Double] = [:], skipping: Int = 0, atMost: Int = 1) {
        Simulation.current?.arm(faultPoint: point, values: values, skipping: skipping, atMost: atMost)
    }

    private func makeCamera(patience: Duration = .seconds(1)) -> V4L2Camera {
        V4L2Camera(
            path: "/dev/video0",
            options: .init(size: PixelSize(width: 64, height: 48), patience: patience),
            system: system
        )
    }

    /// Nothing of the system's is left in use.
    private func expectNothingLeft() {
        #expect(system.openCount == 0 && system.mappedCount == 0)
    }

    /// Connects and streams: the numbers of so many frames, and what the camera counted.
    private func stream(_ count: Int) async throws -> (numbers: [Int], statistics: CaptureStatistics) {
        let camera = makeCamera()
        try await camera.connect()
        let frames = camera.frames(limit: 100)
        var numbers: [Int] = []
        while numbers.count < count, let frame = await frames.next() { numbers.append(frame.sequence) }
        let statistics = try #require(camera.statistics)
        await camera.disconnect()
        expectNothingLeft()
        return (numbers, statistics)
    }

    @Test func `every point has its canary`() {
        #expect(
            SimulatedVideoSystem.points.map(\.name) == [
                "v4l2.open.refused", "v4l2.format.refused", "v4l2.format.other", "v4l2.rate.refused",
                "v4l2.buffers.refused", "v4l2.map.refused", "v4l2.start.refused", "v4l2.queue.refused",
                "v4l2.control.refused", "v4l2.call.slow", "v4l2.hostile.length", "v4l2.hostile.rows",
                "v4l2.frame.damaged", "v4l2.frame.short", "v4l2.frame.lost", "v4l2.queue.failed",
                "v4l2.stream.stalled", "v4l2.device.unplugged", "v4l2.wait.spurious", "v4l2.wait.late",
                "v4l2.hostile.index", "v4l2.hostile.used", "v4l2.hostile.clock",
            ]
        )
    }

    @Test(
        arguments: [
            ("v4l2.open.refused", 13, .permissionDenied), ("v4l2.open.refused", 1, .permissionDenied),
            ("v4l2.open.refused", 2, .deviceNotFound), ("v4l2.open.refused", 19, .deviceNotFound),
            ("v4l2.open.refused", 6, .deviceNotFound), ("v4l2.open.refused", 16, .sessionAlreadyRunning),
            ("v4l2.format.refused", 16, .sessionAlreadyRunning),
            ("v4l2.format.refused", 22, .inputConfigurationFailed),
            ("v4l2.rate.refused", 5, .configurationFailed),
            ("v4l2.buffers.refused", 12, .configurationFailed),
            ("v4l2.map.refused", 12, .configurationFailed), ("v4l2.start.refused", 28, .sessionStartFailed),
            ("v4l2.queue.refused", 22, .sessionStartFailed), ("v4l2.start.refused", 19, .deviceNotFound),
        ] as [(String, Double, CameraError)]
    )
    func `a refused call has its case, leaves nothing open, and the next one works`(
        point: String,
        number: Double,
        error: CameraError
    ) async throws {
        arm(point, ["number": number])
        let camera = makeCamera()
        await #expect(throws: error) { try await camera.connect() }
        #expect(camera.lastFailure?.cameraError == error)
        expectNothingLeft()
        try await camera.connect()
        await camera.disconnect()
        expectNothingLeft()
    }

    @Test func `a refusal that has no case says all that is known`() async throws {
        arm("v4l2.open.refused", ["number": 24])
        let camera = makeCamera()
        do throws(CameraError) {
            try await camera.connect()
            Issue.record("it connects")
        } catch {
            #expect("\(error)".contains("/dev/video0: could not open the device: Too many open files"))
        }
    }

    @Test(
        arguments: [
            ("v4l2.format.other", [:], .inputConfigurationFailed),
            ("v4l2.hostile.rows", ["bytes": 1], .inputConfigurationFailed),
            ("v4l2.hostile.rows", ["bytes": 4_294_967_295], .inputConfigurationFailed),
            ("v4l2.hostile.length", ["bytes": 16], .configurationFailed),
            ("v4l2.hostile.length", ["bytes": 0], .configurationFailed),
            ("v4l2.hostile.length", ["bytes": 200_000], .configurationFailed),
            ("v4l2.hostile.length", ["bytes": 4_294_967_295], .configurationFailed),
        ] as [(String, [String: Double], CameraError)]
    )
    func `what a driver says of its pictures and buffers is not believed`(
        point: String,
        values: [String: Double],
        error: CameraError
    ) async throws {
        arm(point, values)
        let camera = makeCamera()
        await #expect(throws: error) { try await camera.connect() }
        expectNothingLeft()
    }

    @Test func `a control that is refused is named`() async throws {
        arm("v4l2.control.refused", ["number": 34])
        let camera = makeCamera()
        try await camera.connect()
        await #expect(throws: CameraError.configurationFailed) { try await camera.set("brightness", to: 3) }
        #expect(camera.lastFailure?.step == .control)
        await camera.disconnect()
    }

    @Test(arguments: ["v4l2.frame.damaged", "v4l2.frame.short", "v4l2.hostile.used"])
    func `a frame that is not whole is left out, and its buffer goes back`(point: String) async throws {
        arm(point, skipping: 5, atMost: 7)
        let (numbers, statistics) = try await stream(30)
        #expect(numbers == Array(0..<5) + Array(12..<37))
        #expect(statistics.damaged == 7 && statistics.lost == 0 && statistics.restarts == 0)
    }

    @Test func `a frame that the driver loses is counted`() async throws {
        arm("v4l2.frame.lost", skipping: 5, atMost: 3)
        let (numbers, statistics) = try await stream(10)
        #expect(numbers == Array(0..<5) + Array(8..<13))
        #expect(statistics.lost == 3 && statistics.damaged == 0)
    }

    @Test func `frames that come while all buffers are full are lost, and that is an overrun`() async throws {
        arm("v4l2.wait.late", ["seconds": 3], skipping: 5)
        let (numbers, statistics) = try await stream(60)
        let gaps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
        #expect(gaps.count == 1 && statistics.overruns == 1 && statistics.restarts == 0)
        // Three seconds at 30 a second, less the 32 buffers of 64×48.
        #expect((50...60).contains(statistics.lost), "\(statistics.lost)")
        #expect(gaps.allSatisfy { $1 - $0 - 1 == statistics.lost })

        // A third of the buffers is no overrun.
        arm("v4l2.wait.late", ["seconds": 0.3], skipping: 5)
        let short = try await stream(60)
        #expect(
            short.numbers == Array(0..<60) && short.statistics.lost == 0 && short.statistics.overruns == 0
        )
    }

    @Test func `number and time of a frame may be any, and those of the next ones are right`() async throws {
        arm("v4l2.hostile.clock", ["sequence": 4_000_000_000, "seconds": 1_000_000_000_000], skipping: 3)
        let (numbers, _) = try await stream(10)
        #expect(numbers == Array(0..<10))
    }

    @Test func `a wait that ends for nothing is repeated`() async throws {
        arm("v4l2.wait.spurious", atMost: 200)
        let (numbers, statistics) = try await stream(10)
        #expect(numbers.count == 10 && statistics.restarts == 0)
    }

    @Test func `a queue that fails is started again, and frames go on`() async throws {
        arm("v4l2.queue.failed", skipping: 5)
        let (numbers, statistics) = try await stream(12)
        #expect(numbers == Array(0..<12))
        #expect(statistics.restarts == 1)
    }

    @Test func `a buffer that was not the driver's ends no memory, and the stream is started again`()
        async throws
    {
        for index in [200.0, 4_294_967_295, 3] {
            arm("v4l2.hostile.index", ["index": index], skipping: 5)
            let (numbers, statistics) = try await stream(12)
            #expect(numbers.count == 12)
            #expect(index == 3 || statistics.restarts == 1)
        }
    }

    @Test func `a queue that always fails is lost, with its error`() async throws {
        arm("v4l2.queue.failed", skipping: 3, atMost: .max)
        let camera = makeCamera()
        try await camera.connect()
        var states = camera.states().makeAsyncIterator()
        _ = await states.next()
        guard case .lost(.unknown(let failure)) = await states.next() else {
            Issue.record("it is not lost")
            return
        }
        #expect("\(failure)".contains("/dev/video0: could not get a frame: Input/output error"))
        expectNothingLeft()
    }

    @Test func `a stream that stands still is started again, and lost when that does not help`() async throws
    {
        arm("v4l2.stream.stalled", ["seconds": 30], skipping: 3)
        let (numbers, statistics) = try await stream(6)
        #expect(numbers == Array(0..<6) && statistics.restarts == 1)

        arm("v4l2.stream.stalled", ["seconds": 3600], skipping: 3, atMost: .max)
        let camera = makeCamera()
        try await camera.connect()
        let beginning = ContinuousClock.now
        var states = camera.states().makeAsyncIterator()
        _ = await states.next()
        guard case .lost(.unknown) = await states.next() else {
            Issue.record("it is not lost")
            return
        }
        #expect((.seconds(3) ... .seconds(6)).contains(ContinuousClock.now - beginning))
        expectNothingLeft()
    }

    @Test func `a driver that always says that there is a frame, and has none, is lost too`() async throws {
        arm("v4l2.wait.spurious", skipping: 3, atMost: .max)
        let camera = makeCamera()
        try await camera.connect()
        let beginning = ContinuousClock.now
        var states = camera.states().makeAsyncIterator()
        _ = await states.next()
        guard case .lost(.unknown) = await states.next() else {
            Issue.record("it is not lost")
            return
        }
        #expect((.seconds(3) ... .seconds(6)).contains(ContinuousClock.now - beginning))
        expectNothingLeft()
    }

    @Test func `a device that is pulled is lost, and back after its time`() async throws {
        arm("v4l2.device.unplugged", ["seconds": 2], skipping: 3)
        let camera = makeCamera()
        try await camera.connect()
        var states = camera.states().makeAsyncIterator()
        _ = await states.next()
        #expect(await states.next() == .lost(.deviceNotFound))
        expectNothingLeft()
        await #expect(throws: CameraError.deviceNotFound) { try await camera.connect() }
        try await Task.sleep(for: .seconds(3))
        try await camera.connect()
        await camera.disconnect()
    }

    @Test
    func `a driver that takes its time keeps neither a cancelled call nor a disconnect from its device`()
        async throws
    {
        arm("v4l2.call.slow", ["seconds": 20])
        let camera = makeCamera()
        let connecting = Task { try await camera.connect() }
        try await Task.sleep(for: .seconds(1))
        connecting.cancel()
        await #expect(throws: CameraError.self) { try await connecting.value }
        expectNothingLeft()

        arm("v4l2.call.slow", ["seconds": 20])
        let overtaken = Task { try await camera.connect() }
        try await Task.sleep(for: .seconds(1))
        await camera.disconnect()
        // What the attempt has opened is closed when the disconnect returns, not some time later.
        expectNothingLeft()
        await #expect(throws: CameraError.unknown(CancellationError())) { try await overtaken.value }
        #expect(await camera.latestFrame() == nil)
    }

    @Test func `who connects while an attempt is overtaken is connected, and stays so for those who watch`()
        async throws
    {
        arm("v4l2.call.slow", ["seconds": 20])
        let camera = makeCamera()
        let overtaken = Task { try await camera.connect() }
        try await Task.sleep(for: .seconds(1))
        let ending = Task { await camera.disconnect() }
        try await Task.sleep(for: .seconds(1))
        // The driver is busy with the first, and has no buffers for a second.
        try await camera.connect()
        await ending.value
        await #expect(throws: CameraError.unknown(CancellationError())) { try await overtaken.value }
        var states = camera.states().makeAsyncIterator()
        #expect(await states.next() == .connected)
        #expect(await camera.frames(limit: 1).next() != nil)
        #expect(system.openCount == 1)
        await camera.disconnect()
        expectNothingLeft()
    }

    @Test func `a control that comes to a device that was closed meanwhile is refused, and opens nothing`()
        async throws
    {
        let camera = makeCamera()
        try await camera.connect()
        arm("v4l2.call.slow", ["seconds": 5])
        let change = Task { try await camera.set("brightness", to: 3) }
        try await Task.sleep(for: .seconds(1))
        await camera.disconnect()
        expectNothingLeft()
        await #expect(throws: CameraError.deviceNotFound) { try await change.value }
        #expect(!system.journal.contains("VIDIOC_S_CTRL"))
        expectNothingLeft()
    }
}

/// Everything at once, from many seeds.
@Suite("V4L2 camera under any fault", .simulated(seeds: 1...60))
struct V4L2ExplorationTests {
    @Test
    func `whatever drivers and callers do, states are true, frames are in order, and nothing is left open`()
        async throws
    {
        let system = SimulatedVideoSystem([SimulatedVideoCamera(controls: [.zoom])])
        for point in SimulatedVideoSystem.points where Double.random(in: 0..<1) < 0.3 {
            var values: [String: Double] = [:]
            for value in point.values {
                let range =
                    value.range.lowerBound...min(value.range.upperBound, value.name == "seconds" ? 20 : 5e9)
                values[value.name] = Double.random(in: range)
            }
            Simulation.current?.arm(
                faultPoint: point.name,
                probability: .random(in: 0.001...0.2),
                values: values
            )
        }
        let camera = V4L2Camera(
            path: "/dev/video0",
            options: .init(size: PixelSize(width: 64, height: 48), patience: .seconds(1)),
            system: system
        )
        let told = Box<[CameraState]>([])
        let watched = camera.states()
        let reader = Task { for await state in watched { told.append(state) } }
        for _ in 0..<12 {
            let attempt = Task { try await camera.connect() }
            if Bool.random() { try await Task.sleep(for: .milliseconds(.random(in: 0...300))) }
            switch Int.random(in: 0..<4) {
            case 0: attempt.cancel()
            case 1: system.unplug("video0")
            case 2: await camera.disconnect()
            default: break
            }
            let hasConnected = (try? await attempt.value) != nil
            // No call is under way: what is reported now is the truth about device and frames.
            try await expectTruth(camera, system)
            if hasConnected {
                let frames = camera.frames(limit: 3)
                var last = -1
                for _ in 0..<Int.random(in: 0...20) {
                    guard let frame = await frames.next() else { break }
                    #expect(frame.sequence > last)
                    last = frame.sequence
                }
                try? await camera.apply(.zoom(2))
            }
            system.plug("video0")
            if Bool.random() {
                await camera.disconnect()
                #expect(try await expectTruth(camera, system) == .disconnected)
            }
        }
        await camera.disconnect()
        #expect(try await expectTruth(camera, system) == .disconnected)
        try await Task.sleep(for: .seconds(1))
        reader.cancel()
        await reader.value
        for (state, next) in zip(told.value, told.value.dropFirst()) {
            let isPossible =
                switch (state, next) {
                case (.disconnected, .connected), (.connected, .disconnected), (.connected, .lost),
                    (.lost, .connected), (.lost, .disconnected):
                    true
                default: false
                }
            #expect(isPossible, "\(state), then \(next)")
        }
        #expect(told.value.first == .disconnected && told.value.last == .disconnected)
    }

    /// The state that is reported, which is that of the device, of the frames and of the controls.
    @discardableResult
    private func expectTruth(_ camera: V4L2Camera, _ system: SimulatedVideoSystem) async throws -> CameraState
    {
        var states = camera.states().makeAsyncIterator()
        let state = try #require(await states.next())
        // A device may go between two looks.
        let after = camera.mode
        if state == .connected, after == nil {
            // A device that goes between the two looks is reported at once.
            var later = camera.states().makeAsyncIterator()
            let next = try #require(await later.next())
            #expect(next != .connected || camera.mode != nil, "connected without a device")
        } else if state == .connected {
            #expect(system.openCount == 1)
        } else {
            #expect(await camera.latestFrame() == nil && after == nil)
            #expect(system.openCount == 0 && system.mappedCount == 0, "\(state) with an open device")
            await #expect(throws: CameraError.deviceNotFound) { try await camera.apply(.zoom(1)) }
        }
        return state
    }
}
