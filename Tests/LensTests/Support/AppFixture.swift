import AppKernel
import Lens
import Services
import SimulatedDevice
import TestSupport

/// The whole app over scripted peers, on real files.
struct AppFixture {
    let folder: TemporaryFolder
    let database: AppDatabase
    let documents: FileFolder
    let local = ScriptedCamera("local")
    let wireless = ScriptedCamera("wireless")
    let store: ScriptedObjectStore
    let secrets: InMemorySecretStore
    let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 100_000)
    let app: LensApp

    init(
        folder: TemporaryFolder? = nil,
        store: ScriptedObjectStore = ScriptedObjectStore(),
        secrets: InMemorySecretStore = InMemorySecretStore(),
        sessions: [ScriptedSession] = []
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let (local, wireless) = (local, wireless)
        self.folder = folder
        self.store = store
        self.secrets = secrets
        database = try AppDatabase(path: folder.file("app.sqlite"))
        documents = FileFolder(path: folder.file("documents"))
        app = try LensApp(
            LensEnvironment(
                cameras: [.local: { local }, .veepaWiFi: { wireless }],
                model: ScriptedModel(sessions: sessions),
                streamEncoder: PassingEncoder(),
                photoEncoder: PassingEncoder(refused: [13]),
                objects: store,
                secrets: secrets,
                preferences: SQLitePreferenceStore(database),
                synthesizer: synthesizer,
                database: database,
                documents: documents,
                streaming: StreamingPolicy(model: "test-model", commentary: StreamFixture.silent),
                uploadRetries: RetryPolicy(retries: 3, first: .zero, longest: .zero)
            )
        )
        local.show(1)
        wireless.show(2)
    }
}
