import PPPP
import PeerKit
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// A canary for each fault point: armed, it bites; and the client gets over it, or says what is wrong.
///
/// Those of joining a network are in `CameraSetupTests`.
@Suite("Simulated Wi-Fi camera: fault points", .simulated(seeds: 1...4))
struct FaultPointTests {
    /// A client that streams from a camera at which a point is armed.
    private func streaming(
        _ point: String,
        _ values: [String: Double] = [:],
        skipping: Int = 0,
        atMost: Int = .max,
        _ body: (VeepaWorld, VeepaCamera) async throws -> Void
    ) async throws {
        let world = VeepaWorld()
        world.arm(point, values, skipping: skipping, atMost: atMost)
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        try await body(world, camera)
        await camera.disconnect()
        await running.stop()
    }

    /// Why a client cannot connect to a camera at which a point is armed.
    private func failure(_ point: String, atMost: Int = .max) async throws -> VeepaConnectionError.Code? {
        let world = VeepaWorld()
        world.arm(point, atMost: atMost)
        let running = try await world.start()
        let code = await world.client().connectionFailure()?.code
        await running.stop()
        return code
    }

    /// Frames that are whole, with gaps where some were dropped.
    private func expectWhole(_ camera: VeepaCamera, _ count: Int = 10) async {
        let frames = await camera.frames(count)
        #expect(frames.count == count && frames.allSatisfy { TestFrame.number(of: $0) != nil })
    }

    @Test func `every point has its canary`() {
        #expect(
            VeepaCameraSimulator.faultPoints.map(\.name) == [
                "veepa.search.mute", "veepa.search.wrongID", "veepa.ready.mute", "veepa.ready.storm",
                "veepa.login.rejected", "veepa.login.full", "veepa.login.otherCamera", "veepa.reply.mute",
                "veepa.reply.early", "veepa.reply.huge", "veepa.reply.malformed", "veepa.reply.unsolicited",
                "veepa.frame.truncated", "veepa.frame.huge", "veepa.frame.malformed", "veepa.frame.bare",
                "veepa.frame.h264", "veepa.frame.sound", "veepa.stream.stall", "veepa.session.close",
                "veepa.session.mute", "veepa.packet.replayed", "veepa.packet.foreign", "veepa.datagram.lost",
                "veepa.datagram.doubled", "veepa.datagram.late", "veepa.join.never", "veepa.join.refused",
                "veepa.join.late", "veepa.code.partsOnly",
            ]
        )
    }

    // MARK: Finding and logging in

    @Test func `a camera that is mute in searches is not found, or later`() async throws {
        #expect(try await failure("veepa.search.mute") == .notFound)
        try await streaming("veepa.search.mute", atMost: 3) { world, _ in
            #expect(world.simulator.record.searches == 4)
        }
    }

    @Test func `a camera that answers with another ID is not found, or later`() async throws {
        #expect(try await failure("veepa.search.wrongID") == .notFound)
        try await streaming("veepa.search.wrongID", atMost: 2) { _, camera in
            #expect(await camera.statistics.foreign == 2)
        }
    }

    @Test func `a camera that does not say that it is ready is asked again`() async throws {
        #expect(try await failure("veepa.ready.mute") == .timedOut)
        try await streaming("veepa.ready.mute", atMost: 5) { world, camera in
            #expect(world.simulator.record.sessions == 1)
            await expectWhole(camera)
        }
    }

    @Test func `a camera that says without end that it is ready disturbs nobody`() async throws {
        try await streaming("veepa.ready.storm", ["seconds": 60]) { _, camera in await expectWhole(camera) }
    }

    @Test(
        arguments: zip(
            ["veepa.login.rejected", "veepa.login.full", "veepa.login.otherCamera"],
            [VeepaConnectionError.Code.authenticationRejected, .busy, .wrongCamera]
        )
    )
    func `a login that is refused says why`(point: String, code: VeepaConnectionError.Code) async throws {
        #expect(try await failure(point) == code)
    }

    // MARK: Answers

    @Test func `a request that is not answered times out`() async throws {
        #expect(try await failure("veepa.reply.mute") == .timedOut)
        try await streaming("veepa.reply.mute", skipping: 2, atMost: 1) { _, camera in
            let start = ContinuousClock.now
            await #expect(throws: VeepaConnectionError.self) { try await camera.readStatus() }
            #expect((.seconds(5) ..< .seconds(6)).contains(start.duration(to: .now)))
            let status = try await camera.readStatus()
            #expect(status.mostUsers == 4)
        }
    }

    @Test func `an answer may come before the acknowledgement`() async throws {
        let delays = [false, true].map { _ in Box(Duration.zero) }
        for (delay, point) in zip(delays, ["veepa.none", "veepa.reply.early"]) {
            let world = VeepaWorld { $0.replyDelay = .milliseconds(300) }
            if point != "veepa.none" { world.arm(point) }
            let running = try await world.start()
            let camera = world.client()
            try await camera.connect()
            let start = ContinuousClock.now
            _ = try await camera.readStatus()
            delay.set(start.duration(to: .now))
            await camera.disconnect()
            await running.stop()
        }
        #expect(delays[0].value > .milliseconds(300) && delays[1].value < .milliseconds(200))
    }

    @Test(arguments: ["veepa.reply.huge", "veepa.reply.malformed"])
    func `an answer that makes no sense is dropped, and the next one is read`(point: String) async throws {
        #expect(try await failure(point) == .timedOut)
        try await streaming(point, skipping: 2, atMost: 1) { _, camera in
            await #expect(throws: VeepaConnectionError.self) { try await camera.readStatus() }
            let status = try await camera.readStatus()
            #expect(status.mostUsers == 4)
            #expect(await camera.statistics.malformed == 1)
            await expectWhole(camera)
        }
    }

    @Test func `a status that nobody has asked for is no answer`() async throws {
        let world = VeepaWorld { $0.password = "another" }
        world.arm("veepa.reply.unsolicited")
        let running = try await world.start()
        #expect(await world.client().connectionFailure()?.code == .authenticationRejected)
        #expect(world.simulator.record.requests == ["get_status.cgi"])
        await running.stop()
    }

    @Test func `a status that comes unasked is not taken for the one that was asked for`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        world.arm("veepa.reply.unsolicited")
        #expect(try await camera.readStatus().mostUsers == 4)
        await camera.disconnect()
        await running.stop()
    }

    // MARK: Frames

    @Test(arguments: [
        ("veepa.frame.truncated", ["bytes": 900.0]), ("veepa.frame.malformed", [:]),
        ("veepa.frame.huge", [:]),
    ])
    func `a broken frame is dropped and counted, and the stream goes on`(
        point: String,
        values: [String: Double]
    ) async throws {
        try await streaming(point, values, skipping: 3, atMost: 2) { _, camera in
            let frames = await camera.frames(12)
            #expect(frames.count == 12 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
            #expect(await camera.statistics.badFrames == 2)
            // A length beyond all leaves a picture without a header, which is read as such.
            let dropped = point == "veepa.frame.huge" ? 0 : 2
            let numbers = frames.compactMap { TestFrame.number(of: $0) }
            #expect(numbers[11] - numbers[0] == 11 + dropped)
        }
    }

    @Test func `a frame that is said to be large and never ends is given up for the next one`() async throws {
        try await streaming("veepa.frame.huge", ["bytes": 8_000_000], skipping: 3, atMost: 1) { _, camera in
            await expectWhole(camera)
            #expect(await camera.statistics.badFrames == 1)
        }
    }

    @Test func `a frame without its header is read`() async throws {
        try await streaming("veepa.frame.bare") { _, camera in
            await expectWhole(camera)
            #expect(await camera.statistics.badFrames == 0)
        }
    }

    @Test func `a frame of H.264 is counted, and not decoded`() async throws {
        #expect(VeepaCamera.formats.decodesMotionJPEG && !VeepaCamera.formats.decodesH264)
        try await streaming("veepa.frame.h264", skipping: 2, atMost: 4) { _, camera in
            await expectWhole(camera)
            let statistics = await camera.statistics
            #expect(statistics.undecodedFrames == 4 && statistics.badFrames == 0)
        }
    }

    @Test func `sound is handed on as it comes`() async throws {
        try await streaming("veepa.frame.sound") { _, camera in
            let heard = Box<[VeepaSound]>([])
            camera.hear { heard.append($0) }
            await expectWhole(camera, 20)
            #expect(heard.value.count > 10 && heard.value.allSatisfy { $0.bytes.count == 256 })
            #expect(await camera.statistics.audioFrames >= heard.value.count)
        }
    }

    @Test func `frames that stay away are asked for again, and for too long end the connection`() async throws
    {
        try await streaming("veepa.stream.stall", ["seconds": 7], skipping: 5, atMost: 1) { world, camera in
            await expectWhole(camera, 20)
            #expect(
                world.simulator.record.requests == ["get_status.cgi", "livestream.cgi", "livestream.cgi"]
            )
            #expect(camera.connectionState == .connected)
        }
        try await streaming("veepa.stream.stall", ["seconds": 3600], skipping: 5, atMost: 1) { _, camera in
            #expect(await camera.reaches { if case .reconnecting = $0 { true } else { false } })
            #expect(await camera.reaches { $0 == .connected })
            await expectWhole(camera)
        }
    }

    // MARK: Sessions

    @Test(arguments: ["veepa.session.close", "veepa.session.mute"])
    func `a session that ends or falls silent is opened again`(point: String) async throws {
        try await streaming(point, skipping: 5, atMost: 1) { world, camera in
            #expect(await camera.reaches { if case .reconnecting = $0 { true } else { false } })
            #expect(await camera.latestFrame() == nil)
            #expect(await camera.reaches { $0 == .connected })
            await expectWhole(camera)
            #expect(world.simulator.record.sessions == 2)
        }
    }

    @Test func `packets that are replayed are heard once`() async throws {
        try await streaming("veepa.packet.replayed") { _, camera in
            await expectWhole(camera, 20)
            let statistics = await camera.statistics
            #expect(statistics.duplicates > 20 && statistics.badFrames == 0)
        }
    }

    @Test func `packets from another address are ignored and counted, also a close`() async throws {
        try await streaming("veepa.packet.foreign") { world, camera in
            await expectWhole(camera, 20)
            let statistics = await camera.statistics
            #expect(statistics.foreign > 20 && statistics.badFrames == 0)
            #expect(world.simulator.record.sessions == 1)
        }
    }

    @Test func `a datagram that is late is late`() async throws {
        try await streaming("veepa.datagram.late", ["seconds": 0.3]) { _, camera in
            let start = ContinuousClock.now
            _ = try await camera.readStatus()
            #expect(start.duration(to: .now) > .milliseconds(300))
        }
    }

    @Test(arguments: ["veepa.datagram.lost", "veepa.datagram.doubled", "veepa.datagram.late"])
    func `datagrams that are lost, doubled or late do no harm`(point: String) async throws {
        let world = VeepaWorld()
        world.arm(point, probability: 0.2)
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        await expectWhole(camera, 40)
        let statistics = await camera.statistics
        #expect(statistics.badFrames == 0)
        await camera.disconnect()
        try await Task.sleep(for: .seconds(15))
        let resent = world.simulator.record.resentPackets
        switch point {
        case "veepa.datagram.lost": #expect(resent > 0)
        case "veepa.datagram.doubled": #expect(statistics.duplicates > 0)
        default: break
        }
        await running.stop()
    }
}
