import AppKernel
import Files
import GRDB
import JPEG
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

/// The app's services are arguments: each can be replaced, and nothing is found in another way.
@Suite("Injection of services", .simulated(seeds: 1...2, configuration: .shortWaits))
struct InjectionTests {
    /// What an app is given that does work for it, by its name in the environment.
    private static let services: Set = [
        "cameras", "networkCameras", "cameraCodes", "model", "chatModel", "chatPictures", "streamEncoder",
        "photoEncoder",
        "objects",
        "network",
        "permissions", "secrets", "preferences", "synthesizer", "recognizer", "microphone", "database",
        "documents",
    ]
    /// What only says how.
    private static let values: Set = [
        "chat", "storeIdentity", "initialSettings", "hearingPatience", "streaming", "uploadRetries",
        "sendsUploadMetadata", "cameraGrace", "enginePatience", "about",
    ]

    /// An app whose default services note their use in one log, and one of which is replaced by another that notes it elsewhere.
    private struct Graph {
        let defaults = UseLog()
        let replacement = UseLog()
        let fixture: AppFixture
        /// Database and folder, which are no protocols, and what takes their place.
        let places: [(database: AppDatabase, documents: FileFolder)]
        let session = ScriptedSession()

        init(replacing replaced: String? = nil) throws {
            let (defaults, replacement) = (defaults, replacement)
            let storage = try AppStorage()
            let others = (
                database: try AppDatabase(path: storage.database("other.sqlite")),
                documents: FileFolder(path: storage.path("others"), on: storage.files)
            )
            let recognizer = SimulatedSpeechRecognizer([[.init(after: .seconds(1), .final("Hello"))]])
            fixture = try AppFixture(
                storage: storage,
                sessions: [session],
                chat: ScriptedChatModel(texts: "Yes.")
            ) { environment in
                func noted<Service>(_ service: Service, _ name: String) -> NotedUse<Service> {
                    NotedUse(base: service, name: name, log: name == replaced ? replacement : defaults)
                }
                let factories = noted(environment.cameras, "cameras")
                environment.cameras = [
                    .local: { (size) async throws(CameraError) in
                        guard let make = factories.used[.local] else { throw .deviceNotFound }
                        return try await make(size)
                    }
                ]
                let engine = noted(ScriptedNetworkCameras().factory, "networkCameras")
                environment.networkCameras = { () async throws(CameraError) in try await engine.used() }
                environment.cameraCodes = ScriptedCodes().codes
                environment.cameraCodes?.reader = NotedReader(noted: noted(ScriptedCodes(), "cameraCodes"))
                environment.model = NotedModel(noted: noted(environment.model, "model"))
                environment.chatModel = NotedChatModel(noted: noted(environment.chatModel, "chatModel"))
                environment.chatPictures = NotedEncoder(
                    noted: noted(environment.chatPictures, "chatPictures")
                )
                environment.streamEncoder = NotedEncoder(
                    noted: noted(environment.streamEncoder, "streamEncoder")
                )
                environment.photoEncoder = NotedEncoder(
                    noted: noted(environment.photoEncoder, "photoEncoder")
                )
                environment.objects = NotedStore(noted: noted(environment.objects, "objects"))
                environment.network = NotedNetwork(noted: noted(environment.network, "network"))
                environment.permissions = NotedPermissions(
                    noted: noted(environment.permissions, "permissions")
                )
                environment.secrets = NotedSecrets(noted: noted(environment.secrets, "secrets"))
                environment.preferences = NotedPreferences(
                    noted: noted(environment.preferences, "preferences")
                )
                environment.synthesizer = NotedSynthesizer(
                    noted: noted(environment.synthesizer, "synthesizer")
                )
                environment.recognizer = NotedRecognizer(noted: noted(recognizer, "recognizer"))
                environment.microphone = NotedMicrophone(noted: noted(recognizer.microphone, "microphone"))
                if replaced == "database" { environment.database = others.database }
                if replaced == "documents" { environment.documents = others.documents }
                let names = Set(Mirror(reflecting: environment).children.compactMap(\.label))
                // A service that comes new must be added here.
                #expect(names == InjectionTests.services.union(InjectionTests.values))
            }
            places = [(fixture.database, fixture.documents), others]
        }

        private static func picture() throws -> [UInt8] {
            let buffer = PixelBuffer(size: PixelSize(width: 16, height: 16), layout: .rgb)
            unsafe buffer.withMutableBytes { bytes in
                for index in bytes.indices { unsafe bytes[index] = 90 }
            }
            return try JPEGEncoder().encode(buffer, quality: 80)
        }

        /// Uses everything that an app has.
        func use() async throws {
            let app = fixture.app
            _ = await app.launch()
            app.settings.update { $0.autoUpload = true }
            try await app.camera.connect()
            let photo = try await app.capturePhoto()
            await app.uploads.statuses.status(of: photo.id).reaches { $0 == .completed }
            try await app.modelKey.write("key")
            try await app.networkCamera?.search(for: .seconds(1)) { _ in }
            fixture.local.show(Int(ScriptedCodes.label))
            await app.cameraSetup?.start()
            await app.cameraSetup?.state.reaches { $0.step == .labelRead || $0.error != nil }
            await app.cameraSetup?.cancel()
            #expect(try await app.voiceInput.listen() == "Hello")
            try await app.say(ChatDraft("Look", picture: try Self.picture()))
            await app.conversation.content.reaches { $0.messages.count == 2 }
            await app.voice.speak(["Here."])
            try await app.startStreaming()
            await session.sent.reaches { !$0.isEmpty }
            await app.shutdown()
        }

        /// The services that were used, first of the default ones, then of the replacement.
        func used() throws -> [Set<String>] {
            try zip([defaults, replacement], places).map { log, place in
                var used = log.used
                let tables = try place.database.read("look") {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'mediaItem'")
                }
                if tables == 1 { used.insert("database") }
                if !place.documents.names().isEmpty { used.insert("documents") }
                return used
            }
        }
    }

    @Test(
        "LENS-221 each service can be replaced, and then that one is used by that app, and the default ones by all others",
        arguments: services.sorted()
    )
    func replaced(_ name: String) async throws {
        let (one, other) = (try Graph(replacing: name), try Graph())
        try await one.use()
        #expect(try one.used() == [Self.services.subtracting([name]), [name]])
        #expect(try other.used() == [Self.unused, []], "an app of which nothing was used yet")
        try await other.use()
        #expect(try other.used() == [Self.services, []])
        #expect(try one.used() == [Self.services.subtracting([name]), [name]])
    }

    /// What making an app uses: it reads the settings and makes its tables.
    private static let unused: Set = ["preferences", "database"]
}
