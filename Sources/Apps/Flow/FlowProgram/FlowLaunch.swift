import AppHost
import AppKernel
import CommandKit
import Flow
import FlowPage
import FlowScenarios
import LinuxNetwork
import LiveTransport
import ScenarioKit
import Services

/// All that the app is started with, to be shown alone or in a session that is recorded.
struct FlowLaunch: Sendable {
    /// The app, with its page.
    struct Shown: Sendable {
        var page: HostedPage
        /// Ends the app.
        var stop: @Sendable () async throws -> Void
    }

    /// The service, and the client that tokens are for.
    var run: RecordedFlow
    /// Has the client's secret.
    var secrets: any SecretStore
    var transport: LiveTransport
    /// Where identity and secrets are kept.
    var folder: AppFolder
    var host: LoopbackHost
    /// The page's port; `nil` for that of the last run, 0 for a free one.
    var port: Int?
    /// Called at the end of each flow.
    var onComplete: @MainActor @Sendable (CompletionResult) -> Void

    /// Starts the app, and shows it.
    func show() async throws -> Shown {
        let database = try AppDatabase(path: folder.database)
        let environment = FlowEnvironment(
            http: transport,
            clientID: run.clientID,
            secrets: secrets,
            preferences: try SQLitePreferenceStore(database),
            device: LinuxDeviceInformation(network: transport),
            address: { [run] in run.service }
        )
        let (app, page) = await TheFlow.make(environment, onComplete)
        let hosted = try await HostedPage(in: folder, on: host, port: port) { page.server(token: $0) }
        await page.begin()
        return Shown(page: hosted) {
            await FlowViewModel.shared.send(.cancel)
            await app.shutdown()
            try? database.close()
        }
    }

    /// Starts the app in a session that is recorded, and shows it.
    ///
    /// - Parameter recording: The file of the recording, and what is kept.
    func record(to recording: ChosenRecording) async throws -> Shown {
        // A token of an earlier run would be an input that no recording has.
        try secrets.set(nil, named: APIManager.tokenName)
        let recorder = LiveRecorder(
            name: RecordedFlow.name,
            parameters: run.parameters,
            folder: folder.path,
            inputs: [RecordedFlow.database],
            path: recording.path,
            retention: recording.retention
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
                address: { [run] in run.service }
            )
            return try await RecordedFlow.use(
                environment,
                by: users,
                log: log,
                clock: session.clock,
                onComplete: onComplete
            )
        }
        let page = try await app.hosted { app in
            try await HostedPage(in: folder, on: host, port: port) { token in
                FlowPage.server(token: token) { app.makeWindow() }
            }
        }
        return Shown(page: page) { _ = try await app.stop() }
    }
}
