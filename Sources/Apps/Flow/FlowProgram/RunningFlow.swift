import AppHost
import AppKernel
import CommandKit
import Flow
import FlowScenarios
import FlowServer
import LiveTransport
import ServiceClient
import Services
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
        var recording: ChosenRecording?
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// The service that the app speaks to.
    let service: ServiceAddress
    /// The code that the simulated service takes; `nil` for another service.
    let code: String?

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
            let launch = FlowLaunch(
                run: RecordedFlow(service: service, clientID: choices.clientID),
                secrets: secrets,
                transport: transport,
                folder: folder,
                host: host,
                port: choices.port,
                onComplete: onComplete
            )
            let shown: FlowLaunch.Shown
            if let recording = choices.recording {
                shown = try await launch.record(to: recording)
            } else {
                shown = try await launch.show()
            }
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
