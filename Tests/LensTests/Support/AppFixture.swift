import AppKernel
import Concurrency
import Files
import Lens
import Services
import SimulatedDevice

/// The whole app over scripted peers.
struct AppFixture {
    let storage: AppStorage
    let database: AppDatabase
    let files: any FileSystem
    let documents: FileFolder
    let local: ScriptedCamera
    let wireless = ScriptedCamera("wireless")
    let store: ScriptedObjectStore
    let secrets: InMemorySecretStore
    let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 100_000)
    let permissions: SimulatedPermissions
    let network = SimulatedNetworkMonitor()
    let app: LensApp

    init(
        storage: AppStorage? = nil,
        store: ScriptedObjectStore = ScriptedObjectStore(),
        secrets: InMemorySecretStore = InMemorySecretStore(),
        sessions: [ScriptedSession] = [],
        localFailure: CameraError? = nil,
        files: (any FileSystem)? = nil,
        model: ScriptedModel? = nil,
        chat: ScriptedChatModel = ScriptedChatModel(),
        permissions script: SimulatedPermissions.Script = SimulatedPermissions.Script(),
        adjust: (inout LensEnvironment) -> Void = { _ in }
    ) throws {
        permissions = SimulatedPermissions(script)
        local = ScriptedCamera("local", failure: localFailure)
        let storage = try storage ?? AppStorage()
        let (local, wireless) = (local, wireless)
        self.storage = storage
        self.files = files ?? storage.files
        self.store = store
        self.secrets = secrets
        database = try AppDatabase(path: storage.database("app.sqlite"))
        documents = FileFolder(path: storage.path("documents"), on: self.files)
        var environment = LensEnvironment(
            cameras: [.local: { _ in local }, .veepaWiFi: { _ in wireless }],
            model: model ?? ScriptedModel(sessions: sessions),
            chatModel: chat,
            chatPictures: PassingEncoder(),
            streamEncoder: PassingEncoder(),
            photoEncoder: PassingEncoder(refused: [13]),
            objects: store,
            storeIdentity: "scripted",
            secrets: secrets,
            preferences: try SQLitePreferenceStore(database),
            synthesizer: synthesizer,
            database: database,
            documents: documents,
            streaming: StreamingPolicy(model: "test-model", commentary: StreamFixture.silent),
            network: network,
            permissions: permissions,
            uploadRetries: RetryPolicy(retries: 3, first: .zero, longest: .zero),
            cameraGrace: .zero
        )
        adjust(&environment)
        app = try LensApp(environment)
        local.show(1)
        wireless.show(2)
    }
}
