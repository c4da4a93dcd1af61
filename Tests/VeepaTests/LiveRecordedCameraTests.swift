import LiveTransport
import PPPP
import ScenarioKit
import Services
import SessionRecording
import Simulation
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera: recorded sessions over real sockets", .timeLimit(.minutes(2)))
struct LiveRecordedCameraTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: CommandFraming.allCases)
    func `what was recorded over datagrams of this machine is replayed without it`(framing: CommandFraming)
        async throws
    {
        var settings = VeepaCameraSettings(id: VeepaWorld.id, password: VeepaWorld.password)
        settings.framing = framing
        settings.cipher = framing == .binary ? nil : PacketCipher(key: "vstarcam2019")
        settings.networks = [.init(name: "Home", password: "other word")]
        let simulator = VeepaCameraSimulator(settings) { TestFrame.jpeg($0, bytes: 20_000) }
        let running = try await simulator.start(on: LoopbackHost(), at: .loopback())
        let visit = CameraVisit(framing: framing, targets: [running.address], local: .loopback())
        let path = folder.file("visit.lenssession")
        let recorder = LiveRecorder(
            name: "visit",
            seed: 5,
            parameters: [:],
            secrets: [],
            folder: folder.path + "/none",
            path: path
        )
        let transport = try LiveTransport()
        let (sights, session) = try await recorder.run(stoppedAt: { _ in nil }) { session in
            try await visit.run(
                over: session.transport(transport, datagrams: PPPPDatagrams()),
                password: Secret(VeepaWorld.password)
            )
        }
        await transport.shutdown()
        await running.stop()
        #expect(sights.pictures.count == visit.frames)
        let texts = try CameraVisit.readable(path)
        #expect(!CameraVisit.finds(VeepaWorld.password, in: texts))

        let comparison = Comparison()
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(session.manifest.startOfTime)
        let again = try Simulation(seed: session.manifest.seed, configuration: configuration).run {
            let transport = try ReplayTransport(
                session,
                clock: SessionClock(),
                comparison: comparison,
                datagrams: PPPPDatagrams()
            )
            let sights = try await visit.run(over: transport, password: ReplayedSession.secret)
            transport.finish()
            return sights
        }
        #expect(again == sights)
        #expect(comparison.firstDifference == nil)
        #expect(comparison.compared > 30)
    }
}
