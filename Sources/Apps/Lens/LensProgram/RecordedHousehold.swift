import AppHost
import CommandKit
import Files
import GeminiAPI
import JPEG
import Lens
import LensPage
import LensScenarios
import LiveTransport
import PageKit
import Services
import SupabaseStorage
import Synchronization

/// The app in a session that is recorded, and the server of its page outside.
struct RecordedHousehold: Sendable {
    /// The page, which is hosted.
    let page: HostedPage
    /// What went wrong at the start, which goes on nevertheless.
    let problems: [String]
    private let app: RecordedApp
    private let recording: RecordingLens

    /// What the session tells the world outside.
    private final class Seen: Sendable {
        let frame = Mutex<VideoFrame?>(nil)
        let problems = Mutex<[String]>([])
    }

    /// Starts the session, and returns when the page can be opened.
    ///
    /// - Throws: `SessionError`, `TransportError`, `SecretStoreError`, and what a camera throws that is a device.
    static func start(
        _ chosen: ChosenRecording,
        _ choices: Household.Choices,
        _ secrets: any SecretStore,
        _ services: SimulatedServices,
        over transport: LiveTransport,
        in folder: AppFolder,
        on host: LoopbackHost
    ) async throws -> RecordedHousehold {
        var run = LensRun()
        (run.input, run.model, run.autoUpload) = (
            choices.camera.input, choices.model, choices.store.isSimulated
        )
        run.takesModelKey = choices.gemini != nil
        let keys = choices.gemini == nil ? services.geminiKey : secrets
        let store = services.storeSecrets ?? secrets
        let addresses = LensAddresses(
            gemini: choices.gemini ?? services.gemini,
            geminiKey: try keys.secret(named: ModelKey.name),
            store: .supabase(
                address: try store.secret(named: SupabaseConfiguration.projectURLName)?.reveal(),
                key: try store.secret(named: SupabaseConfiguration.keyName)
            ),
            storeIdentity: try choices.store.identity(in: secrets)
        )
        let recording = try await RecordingLens(run, addresses: addresses, folder: folder.path)
        let (speech, hearing, seen) = (BrowserSpeech(), BrowserHearing(), Seen())
        do {
            let recorder = recording.recorder(path: chosen.path, retention: chosen.retention)
            let app = try await RecordedApp.start(recorder) { session, users, log in
                try await recording.use(
                    in: session,
                    over: transport,
                    voice: speech,
                    ear: hearing,
                    by: users,
                    log: log,
                    launched: { report in seen.problems.withLock { $0 = report.problems } },
                    preview: { frame in seen.frame.withLock { $0 = frame } }
                )
            }
            let page = try await app.hosted { app in
                let encoder = SharedFrameEncoder(try JPEGFrameEncoder())
                return try await HostedPage(in: folder, on: host, port: choices.port) { token in
                    RecordedPage.server(
                        documents: FileFolder(path: folder.documents),
                        latestFrame: { seen.frame.withLock(\.self) },
                        encoder: encoder,
                        speech: speech,
                        hearing: hearing,
                        token: token
                    ) { app.makeWindow() }
                }
            }
            return RecordedHousehold(
                page: page,
                problems: seen.problems.withLock(\.self),
                app: app,
                recording: recording
            )
        } catch {
            await recording.stop()
            throw error
        }
    }

    /// Ends the session, and closes its recording.
    ///
    /// - Throws: What has ended the session, and `SessionError`.
    func stop() async throws {
        let result: Result<Void, any Error>
        do {
            _ = try await app.stop()
            result = .success(())
        } catch { result = .failure(error) }
        await recording.stop()
        try result.get()
    }
}
