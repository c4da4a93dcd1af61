import AppHost
import Argus
import ArgusPage
import ArgusScenarios
import CommandKit
import LinuxNetwork
import LiveTransport
import PageKit
import ScenarioKit
import Services
import SimulatedDevice

/// What the app is started with in a session that is recorded.
struct RecordedLaunch: Sendable {
    /// The hub, and how it is reached.
    var run: RecordedArgus
    /// The simulated home beside the app; `nil` for a hub of others.
    var home: SimulatedHome?
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
        let recorder = LiveRecorder(
            name: RecordedArgus.name,
            parameters: run.parameters,
            folder: folder.path,
            inputs: [],
            path: recording.path,
            retention: recording.retention
        )
        let pictures = SessionPictures()
        let (run, transport) = (run, transport)
        let app = try await RecordedApp.start(recorder) { session, users, log in
            let environment = run.environment(
                http: session.transport(transport),
                // What a session of this recording alone has is not kept.
                secrets: session.secrets(InMemorySecretStore()),
                device: session.deviceInformation(LinuxDeviceInformation(network: transport))
            )
            return try await RecordedArgus.use(
                environment,
                by: users,
                log: log,
                clock: session.clock,
                deliver: { pictures.deliver($0, $1) }
            )
        }
        let page = try await app.hosted { app in
            let page = await RecordedArgusPage(app.screens, pictures: pictures, home: home)
            return try await HostedPage(in: folder, on: host, port: port) { page.server(token: $0) }
        }
        return (page, { _ = try await app.stop() })
    }
}
