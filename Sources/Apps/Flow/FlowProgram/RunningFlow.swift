import AppHost
import AppKernel
import FileSecrets
import Flow
import FlowPage
import FlowScenarios
import FlowServer
import LinuxNetwork
import LiveTransport
import PageKit
import ScenarioKit
import ServiceClient
import Services
import SessionRecording
import SimulatedDevice
import Transport

/// The app, the service that is simulated for it, and the server of its page; on real sockets and files.
struct RunningFlow: Sendable {
    /// What is chosen on the command line.
    struct Choices: Sendable {
        /// The service; `nil` for a simulated one.
        var address: ServiceAddress?
        var clientID: String
        /// The client's secret; `nil` for the one that is kept, or one that is drawn for the simulated service.
        var clientSecret: Secret?
        /// How long tokens of the simulated service are valid, in seconds.
        var tokenLifetime: Int?
        /// What locks the secrets that are kept; `nil` for a key file beside them.
        var passphrase: Secret?
        var port: Int?
        /// Where the session is recorded; `nil` where it is not.
        var recording: String?
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// The service that the app speaks to.
    let service: ServiceAddress
    /// The code that the simulated service takes; `nil` for another service.
    let code: String?

    /// The app, with its page.
    private struct Shown: Sendable {
        var page: HostedPage
        /// Ends the app.
        var stop: @Sendable () async throws -> Void
    }

    private let stopApp: @Sendable () async throws -> Void
    private let transport: LiveTransport
    /// The simulated service; `nil` for another one.
    private let listener: (any Listener)?

    /// Starts everything, and returns when the page can be opened.
    ///
    /// - Parameters:
    ///   - choices: What is chosen on the command line.
    ///   - folder: Where identity and secrets are kept.
    ///   - onComplete: Called at the end of each flow.
    /// - Throws: `TransportError` for an address that cannot be used, `DatabaseFailure`, `PreferenceStoreError`, `SecretStoreError`,
    ///   ``NoClientSecret``.
    static func start(
        _ choices: Choices,
        in folder: AppFolder,
        onComplete: @escaping @MainActor @Sendable (CompletionResult) -> Void
    ) async throws -> RunningFlow {
        let host = try LoopbackHost()
        let transport = try LiveTransport()
        var listener: (any Listener)?
        do {
            let kept = try folder.secretStore(choices.passphrase, trying: APIManager.clientSecretName)
            let service: ServiceAddress
            let secrets: any SecretStore
            var code: String?
            if let address = choices.address {
                service = address
                secrets = try Self.withDatabase(in: folder) { preferences in
                    try ClientSecret.keep(
                        choices.clientSecret,
                        for: address,
                        of: choices.clientID,
                        in: kept,
                        preferences
                    )
                }
            } else {
                let simulated = SimulatedService.project(choices)
                let hosted = try await host.listen(FlowServer(simulated), at: .loopback())
                listener = hosted
                service = try SimulatedService.address(hosted)
                // What a service of this run alone knows is not kept.
                secrets = InMemorySecretStore([
                    APIManager.clientSecretName: Secret(simulated.clientSecret)
                ])
                code = simulated.verificationCode
            }
            let start = choices.recording == nil ? Self.show : Self.record
            let run = RecordedFlow(service: service, clientID: choices.clientID)
            let shown = try await start(run, choices, secrets, transport, folder, host, onComplete)
            return RunningFlow(
                page: shown.page,
                service: service,
                code: code,
                stopApp: shown.stop,
                transport: transport,
                listener: listener
            )
        } catch {
            await listener?.stop()
            await transport.shutdown()
            throw error
        }
    }

    /// Starts the app, and shows it.
    private static func show(
        _ run: RecordedFlow,
        _ choices: Choices,
        _ secrets: any SecretStore,
        _ transport: LiveTransport,
        _ folder: AppFolder,
        _ host: LoopbackHost,
        _ onComplete: @escaping @MainActor @Sendable (CompletionResult) -> Void
    ) async throws -> Shown {
        let database = try AppDatabase(path: folder.database)
        let environment = FlowEnvironment(
            http: transport,
            clientID: run.clientID,
            secrets: secrets,
            preferences: try SQLitePreferenceStore(database),
            device: LinuxDeviceInformation(network: transport),
            address: { run.service }
        )
        let (app, page) = await TheFlow.make(environment, onComplete)
        let hosted = try await HostedPage(in: folder, on: host, port: choices.port) {
            page.server(token: $0)
        }
        await page.begin()
        return Shown(page: hosted) {
            await FlowViewModel.shared.send(.cancel)
            await app.shutdown()
            try? database.close()
        }
    }

    /// Starts the app in a session that is recorded, and shows it.
    private static func record(
        _ run: RecordedFlow,
        _ choices: Choices,
        _ secrets: any SecretStore,
        _ transport: LiveTransport,
        _ folder: AppFolder,
        _ host: LoopbackHost,
        _ onComplete: @escaping @MainActor @Sendable (CompletionResult) -> Void
    ) async throws -> Shown {
        // A token of an earlier run would be an input that no recording has.
        try secrets.set(nil, named: APIManager.tokenName)
        let recorder = LiveRecorder(
            name: RecordedFlow.name,
            seed: .random(in: 1...999_999),
            parameters: run.parameters,
            secrets: [],
            folder: folder.path,
            inputs: [RecordedFlow.database],
            path: choices.recording ?? ""
        )
        let app = try await RecordedApp.start(recorder) { session, users, log in
            let database = try AppDatabase(path: folder.database)
            defer { try? database.close() }
            let environment = FlowEnvironment(
                http: session.transport(transport),
                clientID: run.clientID,
                secrets: session.secrets(secrets),
                preferences: try SQLitePreferenceStore(database),
                device: session.deviceInformation(LinuxDeviceInformation(network: transport)),
                address: { run.service }
            )
            return try await RecordedFlow.use(
                environment,
                by: users,
                log: log,
                clock: session.clock,
                onComplete: onComplete
            )
        }
        do {
            let page = try await HostedPage(in: folder, on: host, port: choices.port) { token in
                FlowPage.server(token: token) { app.makeWindow() }
            }
            return Shown(page: page) { _ = try await app.stop() }
        } catch {
            _ = try? await app.stop()
            throw error
        }
    }

    /// Lends the database before the app has it.
    private static func withDatabase<Value>(
        in folder: AppFolder,
        _ body: (SQLitePreferenceStore) throws -> Value
    ) throws -> Value {
        let database = try AppDatabase(path: folder.database)
        defer { try? database.close() }
        return try body(SQLitePreferenceStore(database))
    }

    /// Ends everything, the page first; a flow that is shown is cancelled.
    ///
    /// - Throws: What has ended a recorded session, and `SessionError` for a recording that could not be written.
    func stop() async throws {
        await page.stop()
        let result: Result<Void, any Error>
        do { result = .success(try await stopApp()) } catch { result = .failure(error) }
        await listener?.stop()
        await transport.shutdown()
        try result.get()
    }
}

extension AppFolder {
    /// The device's identity, and which service the secrets are for.
    var database: String { path + "/" + RecordedFlow.database }
}
