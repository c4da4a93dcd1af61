import AppKernel
import Concurrency
import Lens
import PPPP
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import TestSupport
import Testing
import UnpairedVeepaCamera
import VeepaCameraSimulator

@Suite("Setup of a wireless camera: what goes wrong", .simulated(seeds: 1...5))
struct CameraSetupErrorTests {
    @Test func `credentials that cannot be kept are an error, and the network can be entered again`()
        async throws
    {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            world.secrets.fail(with: .unavailable(detail: "locked"))
            try await world.setup.show(PairingWorld.wifi)
            let unkept = CameraSetupError.notSaved(
                .unknown(SecretStoreError.unavailable(detail: "locked"))
            )
            #expect(await world.reaches { $0.error == unkept })
            #expect(world.setup.state.value.step == .labelRead && world.connected.value == [])
            world.secrets.fail(with: nil)
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
        }
    }

    @Test func `a local camera that cannot be opened, or goes, ends the scan with its reason`() async throws {
        let world = try PairingWorld()
        try await world.run {
            world.table.failure.set(.permissionDenied)
            await world.setup.start()
            #expect(await world.reaches { $0.error == .pictures(.permissionDenied) })
            #expect(world.setup.state.value.step == .idle)
            world.table.failure.set(nil)
            await world.setup.start()
            #expect(await world.isConnected(.local))
            try await Task.sleep(for: .seconds(1))
            #expect(world.setup.state.value.step == .scanning)
            world.table.pull()
            #expect(await world.reaches { $0.step == .idle && $0.error != nil })
            #expect(world.open.value == 0)
        }
    }

    @Test func `pictures that cannot be searched are reported until one can`() async throws {
        let world = try PairingWorld()
        let table = world.table.picture.value
        try await world.run {
            world.table.picture.set([1, 2, 3])
            await world.setup.start()
            #expect(await world.reaches { if case .picture(.undecodable) = $0.error { true } else { false } })
            world.table.picture.set(table)
            #expect(await world.reaches { $0.step == .scanning && $0.error == nil })
        }
    }

    @Test func `a network that no code can say is refused, and nothing is shown`() async throws {
        let world = try PairingWorld()
        try await world.run {
            await #expect(throws: CameraSetupError.wrongStep(.idle)) {
                try await world.setup.show(PairingWorld.wifi)
            }
            try await world.readLabel()
            let short = WiFiAccess(name: "Home", password: Secret("short"))
            await #expect(throws: CameraSetupError.self) { try await world.setup.show(short) }
            guard case .network(.unusablePassword)? = world.setup.state.value.error else {
                Issue.record("\(String(describing: world.setup.state.value.error))")
                return
            }
            #expect(world.setup.state.value.step == .labelRead && world.setup.state.value.codes == 0)
        }
    }

    @Test func `no state and no error has a password`() async throws {
        let world = try PairingWorld(join: .seconds(20)) {
            $0.password = "camera-secret"
            $0.networks = [.init(name: "Home", password: "wifi-secret")]
        }
        world.arm("veepa.join.never", atMost: 1)
        try await world.run {
            try await world.readLabel()
            let login = CameraLogin(user: "admin", password: Secret("camera-secret"))
            let access = WiFiAccess(name: "Home", password: Secret("wifi-secret"))
            try await world.setup.show(access, login: login)
            #expect(await world.reaches { $0.error != nil })
            // Switched off and on, it looks for codes again.
            await world.camera.turnOff()
            await world.camera.turnOn(at: world.network.host("camera"))
            await #expect(throws: CameraSetupError.self) {
                try await world.setup.show(
                    WiFiAccess(name: "Home", password: Secret("wifi-secret\n")),
                    login: login
                )
            }
            try await world.setup.show(access, login: login)
            let png = try #require(await world.setup.codePNG(0, moduleSide: 4))
            #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(await world.reaches { $0.step == .finished })
        }
        for state in world.states.value {
            var written = ""
            dump(state, to: &written)
            let text = "\(state)" + written + (state.error?.description ?? "")
            #expect(!text.contains("secret"))
        }
        #expect(world.steps.contains(.finished))
    }
}
