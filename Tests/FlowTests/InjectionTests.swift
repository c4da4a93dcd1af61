import Flow
import FlowScenarios
import HTTPTypes
import ScreenKit
import SimulatedDevice
import SimulationTesting
import Synchronization
import Testing
import Transport

@Suite("Layers of Flow", .simulated(seeds: 1...3))
struct InjectionTests {
    /// A repository without anything below it.
    private final class ScriptedRepository: FlowRepository {
        private let calls = Mutex<[String]>([])
        var log: [String] { calls.withLock(\.self) }

        func logIn(_ data: AuthenticationData) async throws { calls.withLock { $0.append(data.email) } }
        func verify(_ code: String) async throws { calls.withLock { $0.append(code) } }
        func submitData(_ data: StepSubmission) async throws { calls.withLock { $0.append("\(data.step)") } }
    }

    @Test(
        "FLOW-024 each layer is a protocol: view models run over any repository, the repository over any service, the service over any API, without a network"
    )
    func layers() async throws {
        try await Task { @MainActor in
            // A repository in the place of all that is below a view model.
            let repository = ScriptedRepository()
            let alone = AuthenticationViewModel(SessionManager(), repository)
            await alone.fill(email: "grace@example.org")
            await alone.submit()
            #expect(repository.log == ["grace@example.org"])
            #expect(alone.state.progress.isSubmitted)
            // A service in the place of the API and the network: the API of the start has no network either.
            let (api, service, host) = (RequestLog(), ScriptedFlowService(), WindowHost())
            let app = FlowApp(
                api: api,
                service: service,
                analytics: NoAnalytics(),
                device: SimulatedDeviceInformation(),
                preferences: try .inMemory()
            )
            app.start.startServices(from: host) { _, _ in }
            try await api.goOn(app, host)
            let screens = try host.screens.orMissing()
            // The service answered, and not the API.
            #expect(api.logins.isEmpty)
            #expect(app.session.userInfo.authenticationData.userID == "user of ada@example.org")
            await screens.verification.send(.setCode(EnteredSecret("any")))
            await screens.verification.send(.submit)
            await screens.submit(.step1)
            #expect(service.submitted.map(\.step) == [.step1])
            #expect(app.session.currentStep == .step2)
            // An API in the place of the network, under the service of the app.
            let (second, other) = (RequestLog(), WindowHost())
            let plain = FlowApp(
                api: second,
                device: SimulatedDeviceInformation(),
                preferences: try .inMemory()
            )
            plain.start.startServices(from: other) { _, _ in }
            try await second.goOn(plain, other)
            #expect(second.logins.map(\.email) == ["ada@example.org"])
            #expect(plain.session.userInfo.authenticationData.userID == "user")
            await app.shutdown()
            await plain.shutdown()
        }.value
    }
}
