import AppHost
import Argus
import ArgusPage
import ArgusScenarios
import CommandKit
import Concurrency
import Foundation
import LinuxNetwork
import LiveTransport
import MulticastDNS
import PushConnection
import ServiceClient
import Services
import SimulatedDevice

/// The app, the home that is simulated for it, and the server of its page; on real sockets and files.
struct RunningArgus: Sendable {
    /// What is chosen on the command line.
    struct Choices: Sendable {
        /// A hub on the local network, as host and port.
        var hub: ServiceAddress?
        /// Whether a hub is found by multicast DNS.
        var discovers: Bool
        /// Where a hub is reached from everywhere.
        var relay: ServiceAddress?
        /// What the hub speaks.
        var dialect: HubDialect
        /// The push service to which the hub sends; `nil` for no notifications.
        var push: PushConnection.Settings?
        /// A certificate that is trusted besides the system's.
        var caFile: String?
        /// How many events the simulated hub has at the start.
        var events: Int
        /// Seconds between two events of the simulated hub; 0 for none.
        var eventInterval: Double
        /// How long its access tokens are valid, in seconds.
        var tokenLifetime: Int?
        /// What locks the session that is kept; `nil` for a key file beside it.
        var passphrase: Secret?
        var port: Int?
        /// Where the session is recorded; `nil` where it is not.
        var recording: ChosenRecording?

        /// Whether the home is simulated.
        var isSimulated: Bool { hub == nil && !discovers && relay == nil }
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// The simulated home; `nil` for a hub of others.
    let home: SimulatedHome?

    private let stopApp: @Sendable () async throws -> Void
    private let transport: LiveTransport

    /// Starts everything, and returns when the page can be opened.
    ///
    /// - Parameters:
    ///   - choices: What is chosen on the command line.
    ///   - folder: Where the session is kept.
    ///   - warn: Gets what a person should know, and no page shows.
    /// - Throws: `TransportError` for an address that cannot be used, `SecretStoreError`, `SessionError` for a recording that cannot be written.
    static func start(
        _ choices: Choices,
        in folder: AppFolder,
        warn: @escaping @Sendable (String) -> Void
    ) async throws -> RunningArgus {
        let host = try LoopbackHost()
        let transport = try LiveTransport(
            LiveTransport.Configuration(extraTrustedRoots: choices.caFile.map { [.file($0)] } ?? [])
        )
        var home: SimulatedHome?
        do {
            if choices.isSimulated { home = try await SimulatedHome.start(choices, on: host) }
            if let recording = choices.recording, let hub = choices.hub ?? home?.hubAddress {
                let launch = RecordedLaunch(
                    run: RecordedArgus(
                        hub: hub,
                        relay: home?.relay ?? choices.relay,
                        dialect: choices.dialect
                    ),
                    home: home,
                    transport: transport,
                    folder: folder,
                    host: host,
                    port: choices.port
                )
                let (page, stop) = try await launch.show(recording: recording)
                await home?.follow()
                return RunningArgus(page: page, home: home, stopApp: stop, transport: transport)
            }
            // What a hub of this run alone knows is not kept.
            let secrets: any SecretStore =
                home == nil
                ? try folder.secretStore(choices.passphrase, trying: KeychainService.sessionName)
                : InMemorySecretStore()
            let notifications = choices.push.map {
                ServedNotifications($0, over: transport, memory: secrets, warn: warn)
            }
            var environment = ArgusEnvironment(
                http: transport,
                browser: browser(choices, home, transport),
                relay: home?.relay ?? choices.relay,
                secrets: secrets,
                push: home?.push ?? notifications?.receiver ?? WithoutNotifications(),
                device: LinuxDeviceInformation(network: transport),
                dialect: choices.dialect
            )
            environment.log = { warn("\($0)") }
            let (shown, surroundings) = (home, environment)
            let (app, page) = await MainActor.run {
                let app = ArgusApp(surroundings)
                return (app, ArgusPage(app, home: shown))
            }
            let hosted = try await HostedPage(in: folder, on: host, port: choices.port) {
                page.server(token: $0)
            }
            await home?.follow(app.auth.isAuthenticated)
            let following = OwnedTasks()
            await following.replace(with: [Task { await app.launch() }] + troubles(of: app, warn))
            return RunningArgus(
                page: hosted,
                home: home,
                stopApp: {
                    following.cancelAll()
                    await app.shutdown()
                    await notifications?.stop()
                },
                transport: transport
            )
        } catch {
            await home?.stop()
            await transport.shutdown()
            throw error
        }
    }

    private static func browser(
        _ choices: Choices,
        _ home: SimulatedHome?,
        _ transport: LiveTransport
    ) -> any ServiceBrowser {
        if let home { return home.network }
        if let hub = choices.hub { return KnownHub(at: hub, http: transport) }
        guard choices.discovers else { return HomeNetwork() }
        // Where the kernel does not say when the network is back, the browser asks at its own times.
        let monitor: any NetworkMonitor = (try? LinuxNetworkMonitor()) ?? UnwatchedNetwork()
        return MulticastDNSBrowser(on: transport, monitor: monitor)
    }

    /// Says what goes wrong without anybody having asked for it.
    @MainActor
    private static func troubles(
        of app: ArgusApp,
        _ warn: @escaping @Sendable (String) -> Void
    ) -> [Task<Void, Never>] {
        let (kept, registrations) = (app.auth.tokens.isKept, app.push.registration)
        return [
            Task {
                for await isKept in kept.values() where !isKept {
                    warn("the session could not be kept: after the next start this device has to be paired")
                }
            },
            Task {
                for await registration in registrations.values() where registration == .failed {
                    warn("the hub did not take the registration for notifications")
                }
            },
        ]
    }

    /// Ends everything, the page first.
    ///
    /// - Throws: What has ended a recorded session, and `SessionError` for a recording that could not be written.
    func stop() async throws {
        await page.stop()
        let result: Result<Void, any Error>
        do { result = .success(try await stopApp()) } catch { result = .failure(error) }
        await home?.stop()
        await transport.shutdown()
        try result.get()
    }
}
