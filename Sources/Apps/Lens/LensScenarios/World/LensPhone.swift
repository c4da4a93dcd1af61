internal import AppKernel
import FakeCamera
public import Files
import Foundation
public import GeminiAPI
import GeminiLive
import GeminiREST
import ImageFolderCamera
public import JPEG
public import Lens
import QRCode
import ScenarioKit
public import Services
public import SimulatedDevice
import Synchronization
public import Transport
import VeepaCamera

/// How the app reaches its servers.
public struct LensAddresses: Sendable {
    /// The model.
    public var gemini: GeminiEndpoint
    /// The model's key; `nil` when there is none.
    public var geminiKey: Secret?
    /// The store.
    public var store: LensStore
    /// Which store it is, the same at every start; a simulated one has another address each time.
    public var storeIdentity: String

    /// The identity of a store that is simulated for the app and whose objects lie beside the app's own files.
    public static let simulatedStore: String = "simulated"

    /// Makes addresses.
    public init(
        gemini: GeminiEndpoint,
        geminiKey: Secret?,
        store: LensStore,
        storeIdentity: String = Self.simulatedStore
    ) {
        self.gemini = gemini
        self.geminiKey = geminiKey
        self.store = store
        self.storeIdentity = storeIdentity
    }

    /// An address without user information and query, which may hold passwords and keys.
    public static func plain(_ address: String) -> String {
        let scheme = address.firstRange(of: "://").map { address[..<$0.upperBound] } ?? ""
        let place = address.dropFirst(scheme.count).split(separator: "@", omittingEmptySubsequences: false)
        return String(scheme + (place.last ?? "").prefix { $0 != "?" && $0 != "#" })
    }
}

/// The app on its device: real backends over a given transport, a camera, a voice, a disk.
public final class LensPhone: Sendable {
    /// The app.
    public let app: LensApp
    /// What was spoken, where no other voice was given.
    public let synthesizer: SimulatedSpeechSynthesizer
    /// What the user says, where no other recognizer was given.
    public let recognizer: SimulatedSpeechRecognizer
    /// What the user was asked, and has allowed.
    public let permissions: SimulatedPermissions
    /// What the streamed pictures cost.
    public let encoder: MeasuredEncoder
    let model: MeasuredModel
    /// What passed between the app and the model.
    let watch: ModelWatch
    /// What the app asked of the store.
    let store: StoreWatch
    private let database: AppDatabase

    /// Installs the app.
    ///
    /// - Parameters:
    ///   - options: What the app is configured with.
    ///   - addresses: Where the services are.
    ///   - transport: What reaches them.
    ///   - camera: What is streamed.
    ///   - wifiCamera: A second camera, if there is one.
    ///   - networkCameras: What reaches Wi-Fi cameras, in its place.
    ///   - secrets: Keeps credentials; gets the keys and the store's address that `addresses` has.
    ///   - modelSecrets: Has the model's key, where that is none that the user keeps.
    ///   - folder: Where database and documents lie; made if it is missing.
    ///   - databasePath: The database file, or `:memory:`.
    ///   - files: Where the folder lies.
    ///   - network: What the device knows of its network.
    ///   - speech: Voice, recognizer and microphone in the place of the simulated ones.
    ///   - storeCopy: In a replay, the folder that stands in for a store that is one.
    /// - Throws: `DatabaseFailure`, or when TurboJPEG has no memory.
    public init(
        _ options: LensOptions,
        addresses: LensAddresses,
        transport: any Transport,
        camera: any CameraSource,
        wifiCamera: (any CameraSource)? = nil,
        networkCameras: DeviceEngine.Factory? = nil,
        secrets: any SecretStore = InMemorySecretStore(),
        modelSecrets: (any SecretStore)? = nil,
        folder: String,
        databasePath: String,
        files: any FileSystem = SystemFiles(),
        network: any NetworkMonitor = UnwatchedNetwork(),
        speech: (any SpeechSynthesizer & SpeechRecognizer & Microphone)? = nil,
        storeCopy: String? = nil
    ) throws {
        try addresses.geminiKey.map { try secrets.set($0, named: ModelKey.name) }
        try FileFolder(path: folder, on: files).create()
        database =
            databasePath == ":memory:"
            ? try AppDatabase(beginningAs: FreshDatabase.image.get()) : try AppDatabase(path: databasePath)
        synthesizer = SimulatedSpeechSynthesizer()
        recognizer = SimulatedSpeechRecognizer(options.spoken, hears: synthesizer)
        permissions = SimulatedPermissions(options.permissions)
        encoder = try MeasuredEncoder()
        model = MeasuredModel(
            GeminiLiveModel(
                client: transport,
                endpoint: addresses.gemini,
                secrets: modelSecrets ?? secrets
            )
        )
        let streaming = StreamingPolicy(model: LensOptions.modelName)
        watch = ModelWatch(model, patience: streaming.commentary.patience)
        store = StoreWatch(
            try addresses.store.objects(
                keepingKeysIn: secrets,
                over: transport,
                parts: options.uploadParts,
                copy: storeCopy
            )
        )
        var settings = LensSettings()
        settings.framesPerSecond = options.streamRate
        settings.autoUpload = options.autoUpload
        var cameras: [CameraSourceType: CameraRouter.Factory] = [.local: { _ in camera }]
        if let wifiCamera { cameras[.veepaWiFi] = { _ in wifiCamera } }
        var environment = LensEnvironment(
            cameras: cameras,
            networkCameras: networkCameras,
            cameraCodes: CameraCodes(
                reader: QRCodeReader(),
                maker: QRCodeMaker(),
                pairing: VeepaPairing()
            ),
            model: watch,
            chatModel: options.chatModel?(transport)
                ?? GeminiChatModel(
                    client: transport,
                    endpoint: addresses.gemini,
                    options: .interactive,
                    secrets: modelSecrets ?? secrets
                ),
            chatPictures: try JPEGFrameEncoder(),
            streamEncoder: encoder,
            photoEncoder: try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit),
            objects: store,
            storeIdentity: addresses.storeIdentity,
            secrets: secrets,
            preferences: try SQLitePreferenceStore(database),
            initialSettings: settings,
            synthesizer: speech ?? synthesizer,
            recognizer: speech ?? recognizer,
            microphone: speech ?? recognizer.microphone,
            database: database,
            documents: FileFolder(path: folder + "/Documents", on: files),
            streaming: streaming,
            network: network,
            permissions: permissions,
            about: AboutLens(version: LensSimVersion.current)
        )
        options.adjust(&environment)
        app = try LensApp(environment)
    }

    /// Ends the app and closes its database.
    public func shutdown() async {
        await app.shutdown()
        try? database.close()
    }

    /// The camera that the options describe.
    public static func camera(_ options: LensOptions, seed: UInt64) -> any CameraSource {
        let scene: FakeCamera.Scene
        switch options.scene {
        case .input(let path): return ImageFolderCamera(path: path, framesPerSecond: options.cameraRate)
        case .room: scene = .room
        case .frontDoor: scene = .frontDoor
        case .shapes(let detail): scene = .shapes(detail: detail)
        case .noise: scene = .noise
        case .prepared(let frames): scene = .prepared(frames.files)
        }
        return FakeCamera(
            FakeCamera.Configuration(
                size: options.size,
                framesPerSecond: options.cameraRate,
                scene: scene,
                seed: seed,
                startup: options.cameraStartup
            )
        )
    }
}

/// The app's encoder for streaming, with its figures at hand.
public actor MeasuredEncoder: FrameEncoder {
    private let ladder: JPEGLadder

    init() throws { ladder = try JPEGLadder() }

    /// Returns a file below the service's limit.
    public func encode(_ frame: VideoFrame) async throws -> [UInt8] { try ladder.compress(frame).jpeg }

    /// What the ladder has done so far.
    public var statistics: JPEGLadderStatistics { ladder.statistics }
}
