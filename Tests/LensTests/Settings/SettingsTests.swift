import AppKernel
import Concurrency
import GRDB
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("Settings", .simulated(seeds: 1...3, configuration: .shortWaits))
struct SettingsTests {
    private let storage: AppStorage

    init() throws { storage = try AppStorage() }

    private func preferences() throws -> SQLitePreferenceStore {
        try SQLitePreferenceStore(AppDatabase(path: storage.database("app.sqlite")))
    }

    @Test(
        "LENS-231 a first run has 1080 lines, no automatic uploads and five frames a second, under their keys"
    )
    func defaults() throws {
        let preferences = try preferences()
        let settings = SettingsStore(preferences)
        #expect(settings.current.value.videoResolution == .hd1080)
        #expect(!settings.current.value.autoUpload)
        #expect(settings.current.value.framesPerSecond == 5)
        settings.update {
            $0.videoResolution = .hd720
            $0.autoUpload = true
            $0.framesPerSecond = 12
        }
        #expect(try preferences.value(for: "videoResolution") == "hd720")
        #expect(try preferences.value(for: "autoUpload") == "true")
        #expect(try preferences.value(for: "framesPerSecond") == "12")
        #expect(try preferences.value(for: "speechEnabled") == nil)
    }

    @Test("LENS-232 a change is published, kept, and there after a relaunch")
    func relaunch() async throws {
        let settings = SettingsStore(try preferences())
        var watcher = settings.current.values().makeAsyncIterator()
        settings.update { $0.framesPerSecond = 9 }
        #expect(await watcher.next()?.framesPerSecond == 5)
        #expect(await watcher.next()?.framesPerSecond == 9)
        #expect(SettingsStore(try preferences()).current.value.framesPerSecond == 9)
    }

    @Test(
        "LENS-232 stored values that make no sense count as not set",
        arguments: SettingsStore.Key.allCases
    )
    func nonsense(key: SettingsStore.Key) throws {
        let preferences = try preferences()
        try preferences.set("\u{0}nonsense", for: key.rawValue)
        #expect(SettingsStore(preferences).current.value == LensSettings())
    }

    @Test(
        "the rate is the nearest that is allowed, whether it is set or was stored",
        arguments: [(Int.min, 1), (0, 1), (1, 1), (60, 60), (61, 60), (Int.max, 60)]
    )
    func rate(_ set: Int, _ expected: Int) throws {
        let preferences = try preferences()
        try preferences.set(String(set), for: SettingsStore.Key.framesPerSecond.rawValue)
        #expect(SettingsStore(preferences).current.value.framesPerSecond == expected)
        let settings = SettingsStore(preferences)
        settings.update { $0.framesPerSecond = set }
        #expect(settings.current.value.framesPerSecond == expected)
    }

    @Test("LENS-204 the preferences hold each setting under its name, and nothing else")
    func exactly() async throws {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        try await fixture.app.modelKey.write("very-secret")
        try await fixture.app.camera.switchTo(.veepaWiFi)
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("Hi")))
        fixture.app.settings.update {
            $0.videoResolution = .vga
            $0.autoUpload = true
            $0.framesPerSecond = 9
            $0.speechEnabled = false
        }
        _ = try await fixture.app.capturePhoto()
        await fixture.app.shutdown()
        let rows = try fixture.database.read("look") {
            try String.fetchAll($0, sql: "SELECT name || ' ' || value FROM preference ORDER BY name")
        }
        #expect(
            rows == [
                "autoUpload true", "framesPerSecond 9", "lastCameraSource veepaWiFi", "speechEnabled false",
                "videoResolution vga",
            ]
        )
    }

    @Test("a change that cannot be kept holds until the app ends, and the failure is published")
    func unkept() throws {
        let database = try AppDatabase(path: storage.database("app.sqlite"))
        let settings = SettingsStore(try SQLitePreferenceStore(database))
        try database.close()
        settings.update { $0.autoUpload = true }
        #expect(settings.current.value.autoUpload)
        #expect(settings.failure.value != nil)
    }

    @Test("LENS-233 the model's key is kept under its name, and deleted by nothing or an empty text")
    func key() async throws {
        let secrets = InMemorySecretStore()
        let key = ModelKey(secrets)
        #expect(try await key.read() == nil)
        try await key.write(" abc\n")
        #expect(try secrets.secret(named: "gemini_api_key")?.reveal() == "abc")
        for empty in [nil, "", "  "] as [String?] {
            try await key.write("abc")
            try await key.write(empty)
            #expect(try secrets.secret(named: "gemini_api_key") == nil)
        }
    }
}
