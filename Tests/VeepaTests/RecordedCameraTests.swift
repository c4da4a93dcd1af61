import Foundation
import PPPP
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera: recorded sessions")
struct RecordedCameraTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is ready at the same moment runs in the order in which it came to be, in a recording and in its replay.
    private var inOrder: Simulation {
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        return Simulation(seed: 7, configuration: configuration)
    }

    /// Records a visit to a simulated camera over a network that loses datagrams.
    private func record(
        _ visit: CameraVisit,
        secrets: [Secret] = [],
        networkName: String = "Home"
    ) throws -> (path: String, sights: CameraVisit.Sights) {
        let path = folder.file("visit.lenssession")
        let writer = try SessionWriter(path: path, manifest: .visit, secrets: secrets)
        let sights = try inOrder.run {
            var conditions = LinkConditions(
                latency: .uniform(.milliseconds(1) ... .milliseconds(30)),
                loss: 0.05
            )
            conditions.duplication = 0.05
            let world = VeepaWorld(conditions: conditions) {
                $0.framing = visit.framing
                $0.cipher = visit.framing == .binary ? nil : PacketCipher(key: "vstarcam2019")
                $0.networks = [.init(name: networkName, password: "other word")]
            }
            let running = try await world.start()
            let transport = RecordingTransport(
                world.network.host("phone"),
                writer: writer,
                clock: SessionClock(),
                datagrams: PPPPDatagrams()
            )
            let sights = try await visit.run(over: transport, password: Secret(VeepaWorld.password))
            await running.stop()
            return sights
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return (path, sights)
    }

    /// Runs a visit on a recording alone, with another password.
    private func replay(_ path: String, _ visit: CameraVisit) throws -> (
        sights: CameraVisit.Sights?, comparison: Comparison
    ) {
        let session = try SessionReader(path: path)
        let comparison = Comparison()
        let sights = try inOrder.run {
            let transport = try ReplayTransport(
                session,
                clock: SessionClock(),
                comparison: comparison,
                datagrams: PPPPDatagrams()
            )
            let sights = try? await visit.run(over: transport, password: Secret("<redacted>"))
            transport.finish()
            return sights
        }
        return (sights, comparison)
    }

    @Test(arguments: CommandFraming.allCases)
    func `a recorded session gives the same pictures without a camera, and without its password`(
        framing: CommandFraming
    ) throws {
        let visit = CameraVisit(framing: framing)
        let (path, sights) = try record(visit)
        #expect(sights.pictures.count == visit.frames)
        let again = try replay(path, visit)
        #expect(again.sights == sights)
        #expect(again.comparison.firstDifference == nil)
        #expect(again.comparison.compared > 50)
    }

    @Test func `a program that asks for something else is named at the first datagram that differs`() throws {
        let path = try record(CameraVisit()).path
        var other = CameraVisit()
        other.quality = .high
        let difference = try #require(try replay(path, other).comparison.firstDifference)
        #expect(difference.place.contains("(udp), message"))
        #expect(difference.recorded.contains("substream=2") && difference.replayed.contains("substream=1"))
        other = CameraVisit(targets: [Endpoint(.broadcast, port: 32_109)])
        let first = try #require(try replay(path, other).comparison.firstDifference)
        #expect(first.recorded.contains(":32108") && first.replayed.contains("255.255.255.255:32109"))
        other = CameraVisit(local: SocketAddress(host: "127.0.0.1", port: 0))
        let binding = try #require(try replay(path, other).comparison.firstDifference)
        #expect(binding.recorded.contains("bind 0.0.0.0:0") && binding.replayed.contains("bind 127.0.0.1:0"))
    }

    @Test(arguments: CommandFraming.allCases)
    func `the password is in no datagram of the file, though nobody has told the recorder of it`(
        framing: CommandFraming
    ) throws {
        let texts = try CameraVisit.readable(try record(CameraVisit(framing: framing)).path)
        #expect(!CameraVisit.finds(VeepaWorld.password, in: texts))
        // The test would see it: other words of the same commands, and of answers, are there.
        let shown = framing == .cgi ? "livestream.cgi" : framing == .json ? "stream" : "checkUser"
        #expect(CameraVisit.finds(shown, in: texts))
        if framing == .cgi { #expect(CameraVisit.finds("realdeviceid", in: texts)) }
    }

    @Test func `a secret that the camera sends back is in no datagram of the file, and the replay goes on`()
        throws
    {
        let secret = "pass&word=1"
        let visit = CameraVisit()
        let (path, sights) = try record(visit, secrets: [Secret(secret)], networkName: "my \(secret)")
        #expect(sights.networks == ["my \(secret)"])
        #expect(!CameraVisit.finds(secret, in: try CameraVisit.readable(path)))
        let again = try replay(path, visit)
        #expect(again.comparison.firstDifference == nil)
        #expect(again.sights?.networks == ["my ***********"])
        #expect(again.sights?.pictures == sights.pictures)
    }

    @Test func `without a reader of datagrams nothing is bound, neither in a recording nor in a replay`()
        throws
    {
        let path = try record(CameraVisit()).path
        let writer = try SessionWriter(path: folder.file("other"), manifest: .visit)
        let session = try SessionReader(path: path)
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            let recording = RecordingTransport(network.host("phone"), writer: writer, clock: SessionClock())
            let replay = try ReplayTransport(session, clock: SessionClock(), comparison: Comparison())
            for transport in [recording, replay] as [any Transport] {
                await #expect {
                    _ = try await transport.bind(SocketAddress(host: "0.0.0.0", port: 0))
                } throws: { error in
                    (error as? TransportError)?.code == .addressUnavailable
                        && "\(error)".contains("no reader")
                }
            }
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
    }
}
