import PPPP
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera: other families", .simulated(seeds: 1...6))
struct DialectTests {
    private func world(_ framing: CommandFraming, _ conditions: LinkConditions) -> VeepaWorld {
        VeepaWorld(conditions: conditions) {
            $0.framing = framing
            // What is known of the camera's prefix does not fit: both forms are tried.
            $0.cipher = framing == .json ? PacketCipher(key: "vstarcam2019") : nil
            $0.networks = [
                .init(name: "Home", password: "secret word"), .init(name: "Open", password: "", security: 0),
            ]
        }
    }

    @Test(arguments: [CommandFraming.json, .binary])
    func `a camera streams over a bad network`(framing: CommandFraming) async throws {
        let world = world(framing, VeepaWorld.hardship)
        let running = try await world.start()
        let camera = world.client { $0.framing = framing }
        try await camera.connect()
        let frames = await camera.frames(30)
        #expect(frames.count == 30 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
        #expect(world.simulator.record.logins == 1)
        await camera.disconnect()
        await running.stop()
    }

    @Test(arguments: [CommandFraming.json, .binary])
    func `a wrong password is refused`(framing: CommandFraming) async throws {
        let world = world(framing, LinkConditions())
        let running = try await world.start()
        let wrong = VeepaCredentials(id: VeepaWorld.id, user: "admin", password: Secret("not-the-word"))
        let camera = world.client(credentials: wrong) { $0.framing = framing }
        let failure = await camera.connectionFailure()
        #expect(failure?.code == .authenticationRejected)
        #expect(
            world.simulator.record.logins == 0 && !"\(String(describing: failure))".contains("not-the-word")
        )
        await running.stop()
    }

    @Test func `a binary camera tells its status and networks, and joins one`() async throws {
        let world = world(.binary, LinkConditions())
        let running = try await world.start()
        let camera = world.client { $0.framing = .binary }
        try await camera.connect()
        let status = try await camera.readStatus()
        #expect(status.version == "1.2.3.4")
        let networks = try await camera.scanWiFi()
        #expect(networks.map(\.name) == ["Home", "Open"] && networks.map(\.security) == [4, 0])
        await #expect(throws: VeepaConnectionError.self) { try await camera.takeSnapshot() }
        await #expect(throws: VeepaConnectionError.self) {
            try await camera.join(networks[0], password: Secret("wrong"))
        }
        do throws(VeepaConnectionError) {
            try await camera.join(networks[0], password: Secret(String(repeating: "x", count: 129)))
            Issue.record("a password that is too long is sent")
        } catch { #expect(error.code == .invalidValue) }
        try await camera.join(networks[0], password: Secret("secret word"))
        #expect(world.simulator.record.joinedNetwork == "Home")
        await camera.disconnect()
        await running.stop()
    }

    @Test func `a JSON camera tells its status`() async throws {
        let world = world(.json, LinkConditions())
        let running = try await world.start()
        let camera = world.client { $0.framing = .json }
        try await camera.connect()
        let status = try await camera.readStatus()
        #expect(status.version == "SIM_20260101")
        await #expect(throws: VeepaConnectionError.self) { try await camera.scanWiFi() }
        await camera.disconnect()
        await running.stop()
    }

    @Test func `what cannot be sent is said in the same way in all families`() async throws {
        let wifi = VeepaWiFi(name: "Home", security: 4, channel: 1)
        let (long, program) = (String(repeating: "x", count: 129), "a.cgi?b")
        let refusals: [(CommandFraming, String, VeepaConnectionError.Code, String)] = [
            (.cgi, program, .invalidValue, "it contains “.cgi”"),
            (.json, "word", .refused, "how such cameras do it is not known"),
            (.binary, long, .invalidValue, "name or password is too long"),
        ]
        for (framing, password, code, detail) in refusals {
            let world = world(framing, LinkConditions())
            let running = try await world.start()
            let camera = world.client { $0.framing = framing }
            try await camera.connect()
            do throws(VeepaConnectionError) {
                try await camera.join(wifi, password: Secret(password))
                Issue.record("\(framing) sends it")
            } catch {
                #expect(
                    error
                        == VeepaConnectionError(
                            code,
                            operation: "tell the camera its Wi-Fi network",
                            camera: "\(VeepaWorld.id)",
                            detail: detail
                        )
                )
            }
            await camera.disconnect()
            await running.stop()
        }
    }
}
