import AppHost
import AppKernel
import FileSecrets
import Flow
import FlowPage
import FlowServer
import LinuxNetwork
import LiveTransport
import PageKit
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
    }

    /// The address of the page, with its token.
    let page: String
    /// The service that the app speaks to.
    let service: ServiceAddress
    /// The code that the simulated service takes; `nil` for another service.
    let code: String?

    private let app: FlowApp
    private let database: AppDatabase
    private let transport: LiveTransport
    private let listeners: [any Listener]

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
        var listeners: [any Listener] = []
        do {
            let database = try AppDatabase(path: folder.database)
            let preferences = try SQLitePreferenceStore(database)
            let kept = try folder.secretStore(choices.passphrase, trying: APIManager.clientSecretName)
            let service: ServiceAddress
            let secrets: any SecretStore
            var code: String?
            if let address = choices.address {
                service = address
                secrets = try ClientSecret.keep(
                    choices.clientSecret,
                    for: address,
                    of: choices.clientID,
                    in: kept,
                    preferences
                )
            } else {
                let simulated = SimulatedService.project(choices)
                let listener = try await host.listen(FlowServer(simulated), at: .loopback())
                listeners.append(listener)
                service = try SimulatedService.address(listener)
                // What a service of this run alone knows is not kept.
                secrets = InMemorySecretStore([
                    APIManager.clientSecretName: Secret(simulated.clientSecret)
                ])
                code = simulated.verificationCode
            }
            let environment = FlowEnvironment(
                http: transport,
                clientID: choices.clientID,
                secrets: secrets,
                preferences: preferences,
                device: LinuxDeviceInformation(network: transport),
                address: { service }
            )
            let (app, page) = await TheFlow.make(environment, onComplete)
            let last = folder.lastAddress()
            let token = last?.token ?? PageToken()
            let server = page.server(token: token)
            let listener = try await host.listen(page: server, wanted: choices.port, last: last?.port)
            listeners.append(listener)
            try folder.keep(token, port: listener.address.port)
            await page.begin()
            return RunningFlow(
                page: server.address(at: "127.0.0.1:\(listener.address.port)"),
                service: service,
                code: code,
                app: app,
                database: database,
                transport: transport,
                listeners: listeners
            )
        } catch {
            for listener in listeners { await listener.stop() }
            await transport.shutdown()
            throw error
        }
    }

    /// Ends everything, the page first; a flow that is shown is cancelled.
    func stop() async {
        if let page = listeners.last { await page.stop() }
        await FlowViewModel.shared.send(.cancel)
        await app.shutdown()
        for listener in listeners.dropLast() { await listener.stop() }
        try? database.close()
        await transport.shutdown()
    }
}

extension AppFolder {
    /// The device's identity, and which service the secrets are for.
    var database: String { path + "/flow.sqlite" }
}
