import AppHost
import CommandKit
import Concurrency
import LinuxNetwork
import LiveTransport
import Nova
import NovaPage
import NovaScenarios
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
        /// Where the session is recorded; `nil` where it is not.
        var recording: ChosenRecording?
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// The simulated world; `nil` for a service of others.
    let world: SimulatedNova?

    private let stopApp: @Sendable () async throws -> Void
    private let transport: LiveTransport

    /// Starts everything, and returns when the page can be opened.
    ///
    /// - Parameters:
    ///   - choices: What is chosen on the command line.
    ///   - folder: Where session and queue are kept.
    /// - Throws: `TransportError` for an address that cannot be used, `SecretStoreError`, `DatabaseFailure`, `SessionError` for a recording that cannot be
    ///   written.
    static func start(_ choices: Choices, in folder: AppFolder) async throws -> RunningNova {
        let host = try LoopbackHost()
        let transport = try LiveTransport()
        var world: SimulatedNova?
        do {
            if choices.url == nil { world = try await SimulatedNova.start(choices, on: host) }
            if let recording = choices.recording, let service = choices.url ?? world?.address {
                let identities: any IdentityTokenProvider = world?.identity ?? NoIdentityTokens()
                let launch = RecordedLaunch(
                    run: RecordedNova(service: service),
                    world: world,
                    network: world?.network ?? watchedNetwork,
                    identities: identities,
                    transport: transport,
                    folder: folder,
                    host: host,
                    port: choices.port
                )
                let (page, stop) = try await launch.show(recording: recording)
                return RunningNova(page: page, world: world, stopApp: stop, transport: transport)
            }
            let environment = try environment(choices, world, folder, transport)
            let beside = world
            let (app, page) = try await MainActor.run {
                let app = try NovaApp(environment)
                return (app, NovaPage(app, over: transport, world: beside))
            }
            let hosted = try await HostedPage(in: folder, on: host, port: choices.port) {
                page.server(token: $0)
            }
            let launching = Task { await app.launch() }
            return RunningNova(
                page: hosted,
                world: world,
                stopApp: {
                    await launching.value
                    await page.leave()
                    await app.shutdown()
                },
                transport: transport
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
                network: watchedNetwork,
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

    /// Where the kernel does not say when the network is back, the queue is tried at its own times.
    private static var watchedNetwork: any NetworkMonitor {
        (try? LinuxNetworkMonitor()) ?? UnwatchedNetwork()
    }

    /// Ends everything, the page first.
    ///
    /// - Throws: What has ended a recorded session, and `SessionError` for a recording that could not be written.
    func stop() async throws {
        await page.stop()
        let result: Result<Void, any Error>
        do { result = .success(try await stopApp()) } catch { result = .failure(error) }
        await world?.stop()
        await transport.shutdown()
        try result.get()
    }
}
