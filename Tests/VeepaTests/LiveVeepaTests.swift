import LiveTransport
import PPPP
import PeerKit
import Services
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera over real sockets", .timeLimit(.minutes(2)))
struct LiveVeepaTests {
    private func streaming(
        _ change: (inout VeepaCameraSettings) -> Void = { _ in },
        faults: [String: Double] = [:],
        _ body: (VeepaCamera, VeepaCameraSimulator) async throws -> Void
    ) async throws {
        let network = try LoopbackHost()
        var settings = VeepaCameraSettings(id: VeepaWorld.id, password: VeepaWorld.password)
        settings.framesPerSecond = 50
        change(&settings)
        let simulator = VeepaCameraSimulator(settings) { TestFrame.jpeg($0, bytes: 20_000) }
        for (point, probability) in faults { try simulator.faults.arm(point, probability: probability) }
        let running = try await simulator.start(on: network, at: .loopback())
        var options = VeepaOptions()
        options.framing = settings.framing
        options.localAddress = .loopback()
        options.searchTargets = [running.address]
        options.framesKept = 64
        let credentials = VeepaCredentials(
            id: settings.id,
            user: settings.user,
            password: Secret(settings.password)
        )
        let camera = VeepaCamera(network: network, options: options) { credentials }
        try await camera.connect()
        try await body(camera, simulator)
        await camera.disconnect()
        await running.stop()
    }

    @Test(arguments: [VeepaCameraSettings.SessionPort.same, .ephemeral])
    func `frames, status and pictures come over datagrams of this machine`(
        port: VeepaCameraSettings.SessionPort
    ) async throws {
        try await streaming({ $0.sessionPort = port }) { camera, _ in
            let frames = await camera.frames(50)
            #expect(frames.count == 50 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
            let status = try await camera.readStatus()
            #expect(status.mostUsers == 4)
            #expect(try await camera.takeSnapshot().count > 20_000)
        }
    }

    @Test(arguments: [CommandFraming.json, .binary])
    func `cameras of the other families stream too`(framing: CommandFraming) async throws {
        try await streaming({
            $0.framing = framing
            $0.cipher = framing == .json ? PacketCipher(key: "camera") : nil
        }) { camera, _ in
            let frames = await camera.frames(20)
            #expect(frames.count == 20 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
        }
    }

    @Test func `frames stay whole where one datagram in seven is lost, and others come twice or late`()
        async throws
    {
        let faults = [
            "veepa.datagram.lost": 0.15, "veepa.datagram.doubled": 0.1, "veepa.datagram.late": 0.05,
        ]
        try await streaming(faults: faults) { camera, simulator in
            let frames = await camera.frames(40)
            #expect(frames.count == 40 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
            let statistics = await camera.statistics
            #expect(statistics.badFrames == 0 && statistics.duplicates > 0)
            #expect(simulator.record.sessions >= 1)
        }
    }

    @Test(arguments: CommandFraming.allCases)
    func `through a directory and its relay cameras of all families stream, where nothing else gets through`(
        framing: CommandFraming
    ) async throws {
        let network = try LoopbackHost()
        // Cameras that obfuscate nothing have no key.
        let key = framing == .binary ? nil : "vstarcam2019"
        let directory = try await VeepaDirectory(key: key).start(on: network, at: .loopback())
        var settings = VeepaCameraSettings(id: VeepaWorld.id, password: VeepaWorld.password)
        settings.framing = framing
        settings.cipher = key.map { PacketCipher(key: $0) }
        settings.directories = [directory.address]
        settings.needsRelay = true
        let simulator = VeepaCameraSimulator(settings) { TestFrame.jpeg($0, bytes: 20_000) }
        let running = try await simulator.start(on: network, at: .loopback())
        var options = VeepaOptions()
        options.framing = framing
        options.localAddress = .loopback()
        // Its own address too: it does not answer there.
        options.searchTargets = [running.address]
        options.directoryPort = directory.address.port
        let credentials = VeepaCredentials(
            id: settings.id,
            user: settings.user,
            password: Secret(settings.password),
            service: ServiceParameter(servers: [directory.address.address], key: key)
        )
        let camera = VeepaCamera(network: network, options: options) { credentials }
        try await camera.connect()
        let frames = await camera.frames(20)
        #expect(frames.count == 20 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
        // Twenty pieces a picture, and their acknowledgements.
        #expect(await directory.relayedDatagrams > 400)
        #expect(await directory.openMeetings == 1)
        await camera.disconnect()
        await running.stop()
        await directory.stop()
    }
}
