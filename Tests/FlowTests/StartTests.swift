import Concurrency
import Flow
import FlowScenarios
import FlowServer
import Foundation
import LinuxNetwork
import ScenarioKit
import ScreenKit
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@Suite("The start of Flow", .simulated(seeds: 1...5))
struct StartTests {
    @Test(
        "FLOW-053 FLOW-057 FLOW-058 a session begins with the four fields of the device, and its ID goes with later calls"
    )
    func request() async throws {
        let log = RequestLog()
        try await Task { @MainActor in
            let (app, host) = try log.app(
                device: SimulatedDeviceInformation(model: "ThinkPad X1", address: "203.0.113.9")
            )
            app.start.startServices(from: host) { _, _ in }
            let response = try await app.start.startSession()
            let request = try log.requests.first.orMissing()
            #expect(UUID(uuidString: request.deviceId) != nil)
            #expect(request.ipAddress == "203.0.113.9")
            #expect(request.deviceName == "ThinkPad X1")
            #expect(request.channel == "linux")
            let fields =
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(request)) as? [String: Any]
            #expect(Set((fields ?? [:]).keys) == ["deviceId", "ipAddress", "deviceName", "channel"])
            #expect(response.sessionId == "session 1" && app.session.sessionID == "session 1")
            try await log.goOn(app, host)
            #expect(log.logins.map(\.sessionId) == ["session 1"])
            await app.shutdown()
        }.value
        // On the wire, where the backend checks it: POST /Device/CreateDevice.
        let world = try await FlowWorld.started(at: .feature1)
        let id = try await world.sessionID()
        #expect(world.server.events.contains { if case .sessionBegun(_, id) = $0 { true } else { false } })
        try await world.base.shutdown()
    }

    @Test("FLOW-054 the ID of the device is a UUID, the same at every launch, and kept before it is sent")
    func identity() async throws {
        let world = try await FlowWorld.started(at: .feature1)
        for _ in 0..<2 {
            world.base.device.crash()
            try await world.base.restart()
            try await world.onPhone { phone in
                phone.begin()
                try await phone.wait { $0.app.session.sessionID != nil }
            }
        }
        let devices = world.server.events.compactMap {
            if case .sessionBegun(let device, _) = $0 { device } else { nil }
        }
        #expect(devices.count == 3 && Set(devices).count == 1)
        #expect(UUID(uuidString: devices[0]) != nil)
        try await world.base.shutdown()
    }

    @Test("FLOW-054 a power cut around the first launch leaves no second identity", arguments: 0..<20)
    func powerCut(_ tick: Int) async throws {
        let world = try await FlowWorld.start()
        world.base.disk.conditions = .losingUnsyncedWrites
        let using = Task {
            try await world.onPhone { phone in
                phone.begin()
                try await phone.wait { $0.app.session.sessionID != nil }
            }
        }
        try await Task.sleep(for: .milliseconds(tick * 7))
        world.base.device.crash()
        _ = await using.result
        try await world.base.restart()
        try await world.onPhone { phone in
            phone.begin()
            try await phone.wait { $0.app.session.sessionID != nil }
        }
        let devices = world.server.events.compactMap {
            if case .sessionBegun(let device, _) = $0 { device } else { nil }
        }
        #expect(Set(devices).count == 1)
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-056 the device's name is its product's, as DMI has it, and the host's name where there is none",
        arguments: ["NUC12WSKi7\n", nil]
    )
    func deviceName(_ product: String?) async throws {
        let folder = try TemporaryFolder()
        if let product { try folder.write(Array(product.utf8), to: "product_name") }
        let device = LinuxDeviceInformation(
            network: SimulatedNetwork().host("machine"),
            productFile: folder.file("product_name")
        )
        let log = RequestLog()
        try await Task { @MainActor in
            let (app, host) = try log.app(device: device)
            app.start.startServices(from: host) { _, _ in }
            try await app.start.startSession()
            let name = product == nil ? ProcessInfo.processInfo.hostName : "NUC12WSKi7"
            #expect(log.requests.map(\.deviceName) == [name])
            await app.shutdown()
        }.value
    }

    @Test(
        "FLOW-055 a provider of the public address that fails or hangs leaves it empty, and the session begins within two seconds and the network's time",
        arguments: [false, true]
    )
    func publicAddress(_ hangs: Bool) async throws {
        let log = RequestLog()
        try await Task { @MainActor in
            let device =
                hangs
                ? SimulatedDeviceInformation(after: .seconds(120))
                : SimulatedDeviceInformation(address: nil)
            let (app, host) = try log.app(device: device)
            app.start.startServices(from: host) { _, _ in }
            let begun = ContinuousClock.now
            try await app.start.startSession()
            #expect(ContinuousClock.now - begun <= .milliseconds(2100))
            #expect(log.requests.map(\.ipAddress) == [""])
            await app.shutdown()
        }.value
        try await Task.sleep(for: .seconds(130))
    }

    @Test(
        "FLOW-058 FLOW-059 a session that does not begin stays without an ID, says why, and can be tried again"
    )
    func failure() async throws {
        let world = try await FlowWorld.start()
        world.base.arm("flow.busy", atMost: 1)
        try await world.onPhone { phone in
            phone.begin()
            try await phone.wait { $0.screens?.splash.state.showErrorAlert == true }
            let session = phone.app.session
            #expect(session.sessionID == nil && session.navigationState == .splash)
            #expect(try phone.shown.splash.state.errorMessage == "The service is busy. Try again.")
            world.base.arm("flow.busy", atMost: 1)
            await #expect(throws: ResponseErrorHandler.self) { try await phone.app.start.startSession() }
            await (try phone.shown).splash.send(.retry)
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            #expect(session.sessionID != nil)
            #expect(try !phone.shown.splash.state.showErrorAlert)
        }
        try await world.base.shutdown()
    }

    @Test func `starts at the same time share one request, also when the first of them is cancelled`()
        async throws
    {
        let log = RequestLog()
        try await Task { @MainActor in
            let (app, _) = try log.app()
            let first = Task { try await app.start.startSession() }
            let others = (0..<5).map { _ in Task { try await app.start.startSession().sessionId } }
            try await Task.sleep(for: .milliseconds(10))
            first.cancel()
            for other in others { #expect(try await other.value == "session 1") }
            #expect(log.requests.count == 1)
            // It has begun: nothing is asked any more.
            #expect(try await app.start.startSession().sessionId == "session 1")
            #expect(log.requests.count == 1)
            await app.shutdown()
        }.value
    }

    @Test
    func
        `a flow that is cancelled while its address is looked for begins no session, and a failure is not shown by the next one`()
        async throws
    {
        let log = RequestLog()
        try await Task { @MainActor in
            let device = SimulatedDeviceInformation(
                address: nil,
                after: .seconds(1),
                obeysCancellation: true
            )
            let (app, host) = try log.app(device: device)
            app.start.startServices(from: host) { _, _ in }
            try await Task.sleep(for: .milliseconds(500))
            app.start.cancel()
            try await Task.sleep(for: .seconds(3))
            #expect(log.requests.isEmpty)
            await app.shutdown()
        }.value
        let world = try await FlowWorld.start()
        world.base.arm("flow.busy", atMost: 1)
        try await world.onPhone { phone in
            phone.begin()
            try await phone.wait { $0.screens?.splash.state.showErrorAlert == true }
            phone.begin()
            let splash = try phone.shown.splash
            #expect(!splash.state.showErrorAlert)
            // Trying again while nothing has failed does not shorten the welcome.
            let begun = ContinuousClock.now
            await splash.send(.retry)
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            #expect(ContinuousClock.now - begun >= .milliseconds(1900))
        }
        try await world.base.shutdown()
    }

    @Test
    func `the welcome is shown for two seconds, and one of a flow that was cancelled moves no later one`()
        async throws
    {
        let world = try await FlowWorld.start()
        try await world.onPhone { phone in
            let begun = ContinuousClock.now
            phone.begin()
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            #expect(ContinuousClock.now - begun >= .seconds(2))
            phone.begin()
            try await Task.sleep(for: .seconds(1))
            phone.app.start.cancel()
            phone.begin()
            try await Task.sleep(for: .milliseconds(1500))
            #expect(phone.app.session.navigationState == .splash)
            try await phone.wait { $0.app.session.navigationState == .feature1 }
        }
        try await world.base.shutdown()
    }
}

/// An API that keeps the requests and answers each after a moment.
final class RequestLog: FlowAPI {
    private let state = Mutex<(devices: [DeviceRequest], logins: [LoginRequest])>(([], []))

    var requests: [DeviceRequest] { state.withLock { $0.devices } }
    var logins: [LoginRequest] { state.withLock { $0.logins } }

    @MainActor
    func app(device: any DeviceInformation = SimulatedDeviceInformation()) throws -> (FlowApp, WindowHost) {
        (try FlowApp(api: self, device: device, preferences: .inMemory()), WindowHost())
    }

    /// Logs in once the welcome is over.
    @MainActor
    func goOn(_ app: FlowApp, _ host: WindowHost) async throws {
        while app.session.navigationState == .splash { try await Task.sleep(for: .milliseconds(10)) }
        let screens = try host.screens.orMissing()
        await screens.authentication.fill()
        await screens.authentication.send(.submit)
    }

    func createDevice(_ request: DeviceRequest) async throws -> SessionResponse {
        let number = state.withLock { state in
            state.devices.append(request)
            return state.devices.count
        }
        try await Task.sleep(for: .milliseconds(50))
        return SessionResponse(sessionId: "session \(number)")
    }

    func logIn(_ request: LoginRequest) async throws -> LoginResponse {
        state.withLock { $0.logins.append(request) }
        return LoginResponse(userId: "user")
    }

    func verify(_ request: VerificationRequest) async throws {}
    func submit(_ request: StepRequest) async throws -> StepResponse { StepResponse() }
    func track(_ request: TrackRequest) async throws {}
}
