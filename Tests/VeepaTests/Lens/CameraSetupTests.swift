import AppKernel
import Concurrency
import Foundation
import Lens
import PPPP
import QRCode
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import UnpairedVeepaCamera
import VeepaCamera
import VeepaCameraSimulator

/// The app's workflow with a simulated camera that reads the codes it is shown.
@Suite("Setup of a wireless camera", .simulated(seeds: 1...5))
struct CameraSetupTests {
    // MARK: From the box to the picture

    @Test(
        "the setup scans, reads the label, shows codes of the Wi-Fi network, waits for the camera to join, keeps its credentials, and connects"
    )
    func order() async throws {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            let codes = world.setup.state.value.codes
            let symbol = try #require(await world.setup.code(0))
            let wifi = try WiFiCode(try #require(try QRCodeReader().read(symbol.picture()).first).bytes)
            #expect(codes == 6 && wifi.name == PairingWorld.wifi.name)
            #expect(await !world.camera.isOnNetwork && world.kept == nil)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(await world.camera.isOnNetwork)
            #expect(await world.reaches { $0.step == .finished })
        }
        // The last one is the end of the test.
        #expect(
            world.steps.drop { $0 == .idle }
                == [.scanning, .labelRead, .showingCode, .joined, .connecting, .finished, .idle]
        )
        // Connected once, when the credentials were there.
        #expect(world.connected.value == [PairingWorld.credentials])
        #expect(world.camera.simulator.record.logins == 1 && world.open.value == 0)
    }

    @Test(
        "LENS-071 a label gives the camera's identity; another code is an error with its type, and the scan goes on"
    )
    func label() async throws {
        let world = try PairingWorld()
        try await world.run {
            try world.lay(#"{"BS":"NULL","P":"12345678","U":"0","RS":"Home"}"#)
            await world.setup.start()
            let other = CameraSetupError.label(.notALabel("the code has no field “ACT”"))
            #expect(await world.reaches { $0.error == other })
            #expect(world.setup.state.value.step == .scanning && world.setup.state.value.label == nil)
            try world.lay("https://example.org")
            let none = CameraSetupError.label(.notALabel("the code is not an object of JSON"))
            #expect(await world.reaches { $0.error == none })
            try await Task.sleep(for: .seconds(5))
            #expect(world.setup.state.value.step == .scanning && world.setup.state.value.error == none)
            try world.layLabel()
            #expect(await world.reaches { $0.step == .labelRead })
            let state = world.setup.state.value
            #expect(
                state.label == CameraLabel(device: "VSTK-123456-ABCDE", joining: .code) && state.error == nil
            )
            // Nobody looks through the local camera any more.
            #expect(world.open.value == 0 && world.router.status.value.state == .disconnected)
        }
    }

    @Test("when the camera joins, its credentials are kept, and it is connected with them by itself")
    func joined() async throws {
        let world = try PairingWorld { ($0.user, $0.password) = ("owner", "new;pass") }
        try await world.run {
            try await world.readLabel()
            let login = CameraLogin(user: "owner", password: Secret("new;pass"))
            try await world.setup.show(PairingWorld.wifi, login: login)
            try await Task.sleep(for: .seconds(3))
            #expect(world.kept == nil && world.setup.state.value.step == .showingCode)
            #expect(await world.isConnected(.veepaWiFi))
            let kept = CameraCredentials(device: "VSTK-123456-ABCDE", user: "owner", password: login.password)
            #expect(world.kept == kept && world.connected.value == [kept])
            #expect(world.camera.simulator.record.logins == 1)
            #expect(await world.reaches { $0.step == .finished })
            #expect(await world.setup.code(0) == nil)
        }
    }

    // MARK: Cameras that do not join

    @Test(
        "LENS-075 a camera that never joins is an error after the time, nothing is kept, and the network can be entered again"
    )
    func neverJoins() async throws {
        let world = try PairingWorld()
        world.arm("veepa.join.never", atMost: 1)
        try await world.run {
            try await world.readLabel()
            let start = ContinuousClock.now
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.reaches { $0.step == .labelRead })
            #expect((.seconds(60) ..< .seconds(61)).contains(start.duration(to: .now)))
            let state = world.setup.state.value
            #expect(state.error == .didNotJoin(device: "VSTK-123456-ABCDE", seconds: 60, searchFailure: nil))
            #expect(state.codes == 0)
            #expect(await world.setup.code(0) == nil)
            #expect(
                world.kept == nil && world.connected.value == []
                    && world.camera.simulator.record.joinAttempts == 1
            )
            try await Task.sleep(for: .seconds(60))
            #expect(world.searches.value == 0 && world.kept == nil)
            // Switched off and on, it looks for codes again.
            await world.camera.turnOff()
            await world.camera.turnOn(at: world.network.host("camera"))
            try await world.setup.show(PairingWorld.wifi)
            #expect(world.setup.state.value.error == nil)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(world.kept == PairingWorld.credentials)
        }
    }

    @Test func `a wrong Wi-Fi password keeps the camera off the network, and the right one brings it there`()
        async throws
    {
        let world = try PairingWorld(join: .seconds(30))
        try await world.run {
            try await world.readLabel()
            var wrong = PairingWorld.wifi
            wrong.password = Secret("87654321")
            try await world.setup.show(wrong)
            #expect(await world.reaches { $0.error != nil })
            #expect(world.kept == nil && world.camera.simulator.record.joinAttempts > 1)
            #expect(await !world.camera.isOnNetwork)
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
        }
    }

    @Test func `other values may be entered while codes are shown`() async throws {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(WiFiAccess(name: "Another", password: Secret("12345678")))
            try await Task.sleep(for: .seconds(2))
            try await world.setup.show(PairingWorld.wifi)
            #expect(world.setup.state.value.networkName == PairingWorld.wifi.name)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(world.searches.value == 0)
        }
    }

    @Test func `a camera that the access point refuses at first reads codes again, and joins`() async throws {
        let world = try PairingWorld()
        world.arm("veepa.join.refused", atMost: 2)
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(world.camera.simulator.record.joinAttempts == 3)
        }
    }

    @Test
    func
        `a camera that joins late is waited for, and one that joins after the time is found by the next try`()
        async throws
    {
        let world = try PairingWorld()
        world.arm("veepa.join.late", ["seconds": 75], atMost: 1)
        try await world.run {
            try await world.readLabel()
            let start = ContinuousClock.now
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.reaches { $0.error != nil })
            #expect(world.kept == nil)
            try await Task.sleep(for: .seconds(30))
            #expect(await world.camera.isOnNetwork)
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(start.duration(to: .now) < .seconds(95))
        }
        let patient = try PairingWorld()
        patient.arm("veepa.join.late", atMost: 1)
        try await patient.run {
            try await patient.readLabel()
            let start = ContinuousClock.now
            try await patient.setup.show(PairingWorld.wifi)
            #expect(await patient.isConnected(.veepaWiFi))
            #expect((.seconds(46) ..< .seconds(50)).contains(start.duration(to: .now)))
        }
    }

    @Test func `a camera that reads nothing but parts of the code joins too`() async throws {
        let world = try PairingWorld()
        world.arm("veepa.code.partsOnly")
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            // A name and a password, each by itself; before them there was no attempt.
            #expect(
                world.camera.simulator.record.codes >= 2 && world.camera.simulator.record.joinAttempts == 1
            )
        }
    }

    @Test func `a camera in its box is not found, and one that has joined stays on its network`() async throws
    {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            #expect(world.camera.simulator.record.searches == 0)
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            await world.camera.turnOff()
            await world.camera.turnOn(at: world.network.host("camera"))
            #expect(await world.camera.isOnNetwork && world.camera.simulator.record.joinAttempts == 1)
        }
    }

    @Test func `another camera that answers is shown, and not taken for the one of the label`() async throws {
        let world = try PairingWorld()
        let other = VeepaCameraSimulator(
            VeepaCameraSettings(id: try #require(DeviceID("VSTK-999999-ABCDE")), password: "x")
        ) { TestFrame.jpeg($0) }
        let running = try await other.start(on: world.network.host("other"))
        world.arm("veepa.join.never")
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            try await Task.sleep(for: .seconds(20))
            let state = world.setup.state.value
            #expect(state.step == .showingCode && state.others.map(\.device) == ["VSTK-999999-ABCDE"])
            #expect(world.kept == nil && other.record.sessions == 0)
        }
        await running.stop()
    }

    // MARK: Giving up

    @Test(
        "cancelled at any step, the setup keeps nothing, leaves the camera disconnected and no task behind",
        arguments: [.idle, .scanning, .labelRead, .showingCode] as [CameraSetupState.Step]
    )
    func cancelled(step: CameraSetupState.Step) async throws {
        let world = try PairingWorld()
        // At no moment in particular.
        let delay = Duration.milliseconds(Int.random(in: 0...5_500))
        try await world.run {
            switch step {
            case .idle: break
            case .scanning: await world.setup.start()
            default: try await world.readLabel()
            }
            if step == .showingCode { try await world.setup.show(PairingWorld.wifi) }
            try await Task.sleep(for: delay)
            #expect(world.setup.state.value.step == step)
            let start = ContinuousClock.now
            await world.setup.cancel()
            #expect(start.duration(to: .now) < .seconds(1))
            try await expectNothingLeft(world)
            // The camera may join by what it has seen: nobody waits for it.
            try await Task.sleep(for: .seconds(120))
            try await expectNothingLeft(world)
            #expect(world.camera.simulator.record.searches <= 60)
        }
        #expect(world.connected.value == [])
    }

    private func expectNothingLeft(_ world: PairingWorld) async throws {
        #expect(world.setup.state.value == CameraSetupState())
        #expect(try world.secrets.secret(named: CameraKey.name) == nil)
        #expect(world.open.value == 0 && world.searches.value == 0)
        #expect(world.router.status.value.state == .disconnected)
        #expect(await world.setup.code(0) == nil)
    }

    @Test(.simulated(seeds: 1...60))
    func `cancelled at any moment, either all is kept or nothing, and all has ended`() async throws {
        let world = try PairingWorld()
        try await world.run {
            try world.layLabel()
            await world.setup.start()
            let story = Task {
                if await world.reaches({ $0.step == .labelRead }) {
                    try await world.setup.show(PairingWorld.wifi)
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...9_000)))
            await world.setup.cancel()
            let kept = world.kept
            #expect(kept == nil || kept == PairingWorld.credentials)
            #expect((kept != nil) == world.steps.contains(.finished))
            story.cancel()
            await world.setup.cancel()
            try await Task.sleep(for: .seconds(30))
            #expect(world.kept == kept && world.setup.state.value == CameraSetupState())
            #expect(world.open.value == 0 && world.searches.value == 0)
        }
    }

    @Test func `an engine that does not start holds up neither the time-out nor a cancellation`() async throws
    {
        let world = try PairingWorld(engineStarts: false)
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.reaches { $0.error != nil })
            #expect(world.setup.state.value.step == .labelRead)
            try await world.setup.show(PairingWorld.wifi)
            try await Task.sleep(for: .seconds(1))
            let start = ContinuousClock.now
            await world.setup.cancel()
            #expect(start.duration(to: .now) < .seconds(1))
        }
    }

    @Test func `a setup that is started again begins at the label, with one task`() async throws {
        let world = try PairingWorld()
        try await world.run {
            for _ in 0..<3 { await world.setup.start() }
            try world.layLabel()
            #expect(await world.reaches { $0.step == .labelRead })
            try await world.setup.show(PairingWorld.wifi)
            await world.setup.start()
            #expect(await world.setup.code(0) == nil)
            #expect(await world.reaches { $0.step == .labelRead })
            #expect(world.open.value == 0 && world.searches.value == 0 && world.kept == nil)
        }
    }

    // MARK: Afterwards

    @Test("after a setup the camera is connected with what was kept, without another setup")
    func secondSwitch() async throws {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.reaches { $0.step == .finished })
            await world.setup.cancel()
            // Until the watch has seen that the setup is over.
            try await Task.sleep(for: .seconds(1))
            let seen = world.states.value.count
            let opened = world.table.connects.value
            try await world.router.switchTo(.local)
            try await world.router.switchTo(.veepaWiFi)
            #expect(world.camera.simulator.record.logins == 2)
            #expect(world.table.connects.value == opened + 1)
            try await Task.sleep(for: .seconds(1))
            #expect(world.setup.state.value == CameraSetupState() && world.states.value.count == seen)
        }
    }
}
