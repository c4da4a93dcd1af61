import AppHost
import Concurrency
import LinuxNetwork
import LiveTransport
import Nova
import NovaPage
import ServiceClient
import Services
import SimulatedDevice

/// The app, the world that is simulated for it, and the server of its page; on real sockets and files.
struct RunningNova: Sendable {
    /// What is chosen on the command line.
    struct Choices: Sendable {
        /// Where Nova is; `nil` for a simulated one.
        var url: ServiceAddress?
        /// How many posts the simulated Nova has at the start.
        var posts: Int
        /// How long its access tokens are valid, in seconds.
        var tokenLifetime: Int?
        /// What locks the session that is kept; `nil` for a key file beside it.
        var passphrase: Secret?
        var port: Int?
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// The simulated world; `nil` for a service of others.
    let world: SimulatedNova?

    private let app: NovaApp
    private let shown: NovaPage
    private let transport: LiveTransport
    private let launching: Task<Void, Never>

    /// Starts everything, and returns when the page can be opened.
    ///
    /// - Parameters:
    ///   - choices: What is chosen on the command line.
    ///   - folder: Where session and queue are kept.
    /// - Throws: `TransportError` for an address that cannot be used, `SecretStoreError`, `DatabaseFailure`.
    static func start(_ choices: Choices, in folder: AppFolder) async throws -> RunningNova {
        let host = try LoopbackHost()
        let transport = try LiveTransport()
        var world: SimulatedNova?
        do {
            if choices.url == nil { world = try await SimulatedNova.start(choices, on: host) }
            let environment = try environment(choices, world, folder, transport)
            let beside = world
            let (app, page) = try await MainActor.run {
                let app = try NovaApp(environment)
                return (app, NovaPage(app, over: transport, world: beside))
            }
            let hosted = try await HostedPage(in: folder, on: host, port: choices.port) {
                page.server(token: $0)
            }
            return RunningNova(
                page: hosted,
                world: world,
                app: app,
                shown: page,
                transport: transport,
                launching: Task { await app.launch() }
            )
        } catch {
            await world?.stop()
            await transport.shutdown()
            throw error
        }
    }

    private static func environment(
        _ choices: Choices,
        _ world: SimulatedNova?,
        _ folder: AppFolder,
        _ transport: LiveTransport
    ) throws -> NovaEnvironment {
        guard let world else {
            return NovaEnvironment(
                http: transport,
                secrets: try folder.secretStore(choices.passphrase, trying: "nova.session"),
                databasePath: folder.path + "/nova.sqlite",
                // Where the kernel does not say when the network is back, the queue is tried at its own times.
                network: (try? LinuxNetworkMonitor()) ?? UnwatchedNetwork(),
                photos: OfferedPhotos(),
                address: { choices.url }
            )
        }
        // What a Nova of this run alone knows is not kept.
        return NovaEnvironment(
            http: transport,
            secrets: InMemorySecretStore(),
            databasePath: ":memory:",
            network: world.network,
            identities: world.identity,
            photos: OfferedPhotos(),
            address: { world.address }
        )
    }

    /// Ends everything, the page first.
    func stop() async {
        await page.stop()
        await launching.value
        await shown.leave()
        await app.shutdown()
        await world?.stop()
        await transport.shutdown()
    }
}
