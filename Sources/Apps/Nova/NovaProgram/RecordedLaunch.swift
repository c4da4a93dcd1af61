import AppHost
import CommandKit
import LiveTransport
import Nova
import NovaPage
import NovaScenarios
import PageKit
import ScenarioKit
import Services
import SessionRecording
import SimulatedDevice

/// What the app is started with in a session that is recorded.
struct RecordedLaunch: Sendable {
    /// The service.
    var run: RecordedNova
    /// The simulated world beside the app; `nil` for a service of others.
    var world: SimulatedNova?
    /// The network of the device.
    var network: any NetworkMonitor
    var identities: any IdentityTokenProvider
    var transport: LiveTransport
    var folder: AppFolder
    var host: LoopbackHost
    /// The page's port; `nil` for that of the last run, 0 for a free one.
    var port: Int?

    /// Starts the app, and shows it.
    ///
    /// - Parameter recording: The file of the recording, and what is kept.
    /// - Returns: The page, and what ends the app and the recording.
    func show(
        recording: ChosenRecording
    ) async throws -> (page: HostedPage, stop: @Sendable () async throws -> Void) {
        let pictures = SessionPictures()
        let (run, transport, network, identities) = (run, transport, network, identities)
        let recorder = LiveRecorder(
            name: RecordedNova.name,
            parameters: run.parameters,
            folder: folder.path,
            inputs: [],
            path: recording.path,
            retention: recording.retention
        )
        let app = try await RecordedApp.start(recorder) { session, users, log in
            let monitor = RecordedNetworkMonitor(session.calls(.network), monitor: network)
            let environment = run.environment(
                http: session.transport(transport),
                // What a session of this recording alone has is not kept.
                secrets: session.secrets(InMemorySecretStore()),
                network: monitor,
                identities: RecordedIdentities(
                    session.calls(.identities),
                    provider: identities,
                    log: log
                )
            )
            return try await RecordedNova.use(
                environment,
                network: monitor,
                by: users,
                log: log,
                clock: session.clock,
                deliver: { pictures.deliver($0, $1) }
            )
        }
        let page = try await app.hosted { app in
            let page = await RecordedNovaPage(
                app.screens,
                pictures: pictures,
                over: transport,
                nova: run.service,
                world: world
            )
            return try await HostedPage(in: folder, on: host, port: port) { page.server(token: $0) }
        }
        return (page, { _ = try await app.stop() })
    }
}
