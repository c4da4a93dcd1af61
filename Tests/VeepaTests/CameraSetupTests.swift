import AppKernel
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
        }
        // The last one is the end of the test.
        #expect(
            world.steps.drop { $0 == .idle }
                == [.scanning, .labelRead, .showingCode, .joined, .finished, .idle]
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
            #expect(world.setup.state.value.step == .finished)
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
            #expect(!state.isSearching && state.codes == 0)
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
            await world.setup.discover()
            #expect(await world.reaches { $0.step == .choosing && !$0.isSearching })
            #expect(world.setup.state.value.found == [] && world.setup.state.value.error == nil)
            #expect(world.camera.simulator.record.searches == 0)
            try await world.readLabel()
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
            #expect(state.step == .showingCode && state.found.map(\.device) == ["VSTK-999999-ABCDE"])
            #expect(world.kept == nil && other.record.sessions == 0)
            // It can be chosen instead, by somebody who knows its password.
            try await world.setup.choose(
                try #require(state.found.first).device,
                login: CameraLogin(user: "admin", password: Secret("x"))
            )
            #expect(await world.isConnected(.veepaWiFi))
            #expect(other.record.logins == 1 && world.kept?.device == "VSTK-999999-ABCDE")
        }
        await running.stop()
    }

    // MARK: Giving up

    @Test(
        "cancelled at any step, the setup keeps nothing, leaves the camera disconnected and no task behind",
        arguments: CameraSetupState.Step.allCases.filter { $0 != .finished && $0 != .joined }
    )
    func cancelled(step: CameraSetupState.Step) async throws {
        let world = try PairingWorld()
        // At no moment in particular.
        let delay = Duration.milliseconds(Int.random(in: 0...5_500))
        try await world.run {
            switch step {
            case .idle: break
            case .scanning: await world.setup.start()
            case .choosing: await world.setup.discover()
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
            await world.setup.discover()
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

    // MARK: Where the setup begins

    @Test("without credentials the setup starts, and nothing is connected until they are kept")
    func noCredentials() async throws {
        let world = try PairingWorld()
        try await world.run {
            // It could be connected: it is on the network, and has the factory's password.
            let running = try await world.camera.simulator.start(on: world.network.host("other"))
            await #expect(throws: CameraError.self) { try await world.router.switchTo(.veepaWiFi) }
            #expect(await world.reaches { $0.step == .scanning })
            try await Task.sleep(for: .seconds(30))
            try world.layLabel()
            #expect(await world.reaches { $0.step == .labelRead })
            let record = world.camera.simulator.record
            #expect(record.searches == 0 && record.sessions == 0 && world.connected.value == [])
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(world.connected.value == [PairingWorld.credentials])
            #expect(world.camera.simulator.record.logins == 1)
            await world.router.disconnect()
            await running.stop()
        }
        #expect(world.steps.contains(.scanning))
    }

    @Test("credentials that cannot be read count as none, and are reported")
    func unreadableCredentials() async throws {
        let world = try PairingWorld()
        try world.secrets.set(Secret("{nonsense"), named: CameraKey.name)
        try await world.run {
            #expect(try await world.setup.credentials() == nil)
            let state = world.setup.state.value
            #expect(state.step == .scanning)
            guard case .unreadableCredentials(let detail)? = state.error else {
                Issue.record("\(String(describing: state.error))")
                return
            }
            #expect(!detail.isEmpty && !detail.contains("nonsense"))
            // Asked again, it goes on.
            try world.layLabel()
            #expect(await world.reaches { $0.step == .labelRead })
            #expect(try await world.setup.credentials() == nil)
            #expect(world.setup.state.value.step == .labelRead)
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            #expect(world.kept == PairingWorld.credentials)
        }
    }

    @Test func `a store that cannot be opened is no reason to set up the camera again`() async throws {
        let world = try PairingWorld()
        world.secrets.fail(with: .unavailable(detail: "locked"))
        try await world.run {
            await #expect(throws: SecretStoreError.unavailable(detail: "locked")) {
                try await world.setup.credentials()
            }
            #expect(world.setup.state.value == CameraSetupState())
        }
    }

    @Test("after a setup the camera is connected with what was kept, without another setup")
    func secondSwitch() async throws {
        let world = try PairingWorld()
        try await world.run {
            try await world.readLabel()
            try await world.setup.show(PairingWorld.wifi)
            #expect(await world.isConnected(.veepaWiFi))
            await world.setup.cancel()
            let seen = world.states.value.count
            let opened = world.table.connects.value
            try await world.router.switchTo(.local)
            try await world.router.switchTo(.veepaWiFi)
            #expect(world.camera.simulator.record.logins == 2)
            #expect(world.table.connects.value == opened + 1)
            try await Task.sleep(for: .seconds(1))
            #expect(world.setup.state.value == CameraSetupState() && world.states.value.count <= seen + 1)
        }
    }

    // MARK: A camera that is on the network already

    @Test func `a camera that was found is chosen with its user and password, and connected`() async throws {
        let world = try PairingWorld()
        let running = try await world.camera.simulator.start(on: world.network.host("other"))
        try await world.run {
            await world.setup.discover()
            #expect(await world.reaches { !$0.found.isEmpty })
            #expect(await world.reaches { !$0.isSearching })
            let state = world.setup.state.value
            #expect(state.found.map(\.device) == ["VSTK-123456-ABCDE"] && state.step == .choosing)
            let login = CameraLogin(user: "admin", password: Secret(PairingWorld.password))
            await #expect(throws: CameraSetupError.notADevice) {
                try await world.setup.choose("x", login: login)
            }
            await #expect(throws: CameraSetupError.noUser) {
                try await world.setup.choose(
                    "vstk123456abcde",
                    login: CameraLogin(user: "", password: Secret("x"))
                )
            }
            #expect(world.kept == nil && world.setup.state.value.error == .noUser)
            world.secrets.fail(with: .unavailable(detail: "locked"))
            let unkept = CameraSetupError.notSaved("the secret store is not available: locked")
            await #expect(throws: unkept) { try await world.setup.choose("vstk123456abcde", login: login) }
            #expect(world.setup.state.value.step == .choosing && world.setup.state.value.error == unkept)
            world.secrets.fail(with: nil)
            try await world.setup.choose("vstk123456abcde", login: login)
            #expect(world.kept == PairingWorld.credentials)
            #expect(await world.isConnected(.veepaWiFi))
        }
        await running.stop()
    }
}
