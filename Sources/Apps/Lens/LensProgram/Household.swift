import AppHost
import AppKernel
import CommandKit
import FileSecrets
import Files
import Foundation
import GeminiAPI
import GeminiLive
import GeminiREST
import GeminiServer
import Lens
import LensPage
import LensScenarios
import LiveTransport
import PageKit
import QRCode
import ScenarioKit
import Services
import SupabaseServer
import SupabaseStorage
import Transport
import VeepaCamera

/// The app, the services that are simulated for it, and the server of its page; on real sockets and files.
struct Household: Sendable {
    /// What is chosen on the command line.
    struct Choices {
        var camera: CameraArgument
        var wifiCamera: WiFiCameraArgument
        /// The model's service; `nil` for a simulated one.
        var gemini: GeminiEndpoint?
        /// A secret that the program was started with, in place of one that is typed.
        var geminiKeyVariable: String?
        /// What locks the secrets that are kept; `nil` for a key file beside them.
        var passphrase: Secret?
        var model: String
        var store: StoreArgument
        var storeKey: Secret?
        /// Whether uploaded objects say type, size and time.
        var sendsUploadMetadata: Bool
        var port: Int?
        /// Where the session is recorded; `nil` where it is not.
        var recording: ChosenRecording?
        var environment: [String: String]
    }

    /// The page, which is hosted.
    let page: HostedPage
    /// What went wrong at the start, which goes on nevertheless.
    let problems: [String]

    private let stopApp: @Sendable () async throws -> Void
    private let services: SimulatedServices
    private let transport: LiveTransport

    /// Starts everything, and returns when the page can be opened.
    ///
    /// - Throws: `TransportError` for an address that cannot be used, `DatabaseFailure`, `ImageInputError`, `FolderUnusable`,
    ///   `SecretStoreError` when a passphrase does not open what is kept.
    static func start(_ choices: Choices, in folder: AppFolder) async throws -> Household {
        try choices.camera.check()
        let host = try LoopbackHost()
        let secrets = try Self.secrets(choices, in: folder)
        try choices.store.keep(choices.storeKey, in: secrets)
        let services = try await SimulatedServices.start(choices, in: folder, on: host)
        let transport = try LiveTransport()
        do {
            if let recording = choices.recording {
                let app = try await RecordedHousehold.start(
                    recording,
                    choices,
                    secrets,
                    services,
                    over: transport,
                    in: folder,
                    on: host
                )
                return Household(
                    page: app.page,
                    problems: app.problems,
                    stopApp: app.stop,
                    services: services,
                    transport: transport
                )
            }
            try FileFolder(path: folder.documents).create()
            let database = try AppDatabase(path: folder.database)
            let encoder = SharedFrameEncoder(try JPEGFrameEncoder())
            let (speech, hearing) = (BrowserSpeech(), BrowserHearing())
            let documents = FileFolder(path: folder.documents)
            let network = WatchedNetwork(choices, store: try choices.store.address(in: secrets))
            let app = try LensApp(
                LensEnvironment(
                    cameras: [.local: { Self.localCamera(choices, services, $0) }],
                    networkCameras: Self.networkCameras(choices, services, over: transport),
                    cameraCodes: CameraCodes(
                        reader: QRCodeReader(),
                        maker: QRCodeMaker(),
                        pairing: VeepaPairing()
                    ),
                    model: GeminiLiveModel(
                        client: transport,
                        endpoint: choices.gemini ?? services.gemini,
                        secrets: choices.gemini == nil ? services.geminiKey : secrets
                    ),
                    chatModel: GeminiChatModel(
                        client: transport,
                        endpoint: choices.gemini ?? services.gemini,
                        options: .interactive,
                        secrets: choices.gemini == nil ? services.geminiKey : secrets
                    ),
                    chatPictures: try JPEGFrameEncoder(),
                    streamEncoder: encoder,
                    photoEncoder: try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit),
                    objects: SupabaseObjectStore(
                        from: services.storeSecrets ?? secrets,
                        bucket: LensOptions.bucket,
                        client: transport,
                        parts: .queued
                    ),
                    storeIdentity: try choices.store.identity(in: secrets),
                    secrets: secrets,
                    preferences: try SQLitePreferenceStore(database),
                    initialSettings: Self.initialSettings(choices),
                    synthesizer: speech,
                    recognizer: hearing,
                    microphone: hearing,
                    database: database,
                    documents: documents,
                    streaming: StreamingPolicy(model: choices.model),
                    network: network.monitor,
                    permissions: choices.camera.permissions,
                    sendsUploadMetadata: choices.sendsUploadMetadata,
                    about: AboutLens(
                        version: LensSimVersion.current,
                        assistant: choices.gemini == nil ? .device : .network,
                        storage: choices.store.isSimulated ? .device : .network,
                        cameraNote: services.cameras.map { _ in
                            SimulatedWiFiCameras.note(isDeviceSimulated: choices.camera.isFake)
                        }
                    )
                )
            )
            let report = await app.launch()
            if let setup = app.cameraSetup { services.cameras?.watch(setup) }
            let page: HostedPage
            do {
                page = try await HostedPage(in: folder, on: host, port: choices.port) { token in
                    LensPageServer(
                        app: app,
                        documents: documents,
                        encoder: encoder,
                        speech: speech,
                        hearing: hearing,
                        token: token
                    )
                }
            } catch {
                await app.shutdown()
                try? database.close()
                throw error
            }
            return Household(
                page: page,
                problems: report.problems + [network.problem].compactMap(\.self),
                stopApp: {
                    await app.shutdown()
                    try? database.close()
                },
                services: services,
                transport: transport
            )
        } catch {
            await transport.shutdown()
            await services.stop()
            throw error
        }
    }

    /// Ends everything, the page first.
    ///
    /// - Throws: What has ended a recorded session, and `SessionError` for a recording that could not be written.
    func stop() async throws {
        await page.stop()
        let result: Result<Void, any Error>
        do { result = .success(try await stopApp()) } catch { result = .failure(error) }
        await transport.shutdown()
        await services.stop()
        try result.get()
    }

    /// The device's own camera; the fake one sees the label of a simulated Wi-Fi camera.
    private static func localCamera(
        _ choices: Choices,
        _ services: SimulatedServices,
        _ size: PixelSize
    ) -> any CameraSource {
        let camera = choices.camera.camera(size)
        guard choices.camera.isFake, let cameras = services.cameras else { return camera }
        return LabelledCamera(camera, cameras.label)
    }

    /// What reaches Wi-Fi cameras; a simulated one, and one at an address of this machine, over its loopback alone.
    private static func networkCameras(
        _ choices: Choices,
        _ services: SimulatedServices,
        over transport: LiveTransport
    ) -> DeviceEngine.Factory? {
        var options = VeepaOptions()
        switch choices.wifiCamera {
        case .none: return nil
        case .network: break
        case .simulated: options.searchTargets = services.cameras?.addresses ?? []
        case .place(let place): options.searchTargets = [place]
        }
        if let target = options.searchTargets?.first, target.address.isLoopback {
            options.localAddress = SocketAddress(host: "127.0.0.1", port: 0)
        }
        return { [options] in VeepaCameras(network: transport, options: options) }
    }

    /// With a simulated store nothing leaves the machine: a newcomer sees what uploads are.
    private static func initialSettings(_ choices: Choices) -> LensSettings {
        var settings = LensSettings()
        settings.autoUpload = choices.store.isSimulated
        return settings
    }

    /// What is kept in the folder; a key that the program was started with stands over the kept one.
    private static func secrets(_ choices: Choices, in folder: AppFolder) throws -> any SecretStore {
        let kept = try folder.secretStore(choices.passphrase, trying: ModelKey.name)
        guard let variable = choices.geminiKeyVariable else { return kept }
        let given = EnvironmentSecretStore(
            variables: [ModelKey.name: variable],
            environment: choices.environment
        )
        return OverlaidSecretStore(given, over: kept)
    }
}
