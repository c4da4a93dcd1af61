import AppKernel
import Concurrency
import FileSecrets
import Files
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("App", .simulated(seeds: 1...3, configuration: .shortWaits))
struct LensAppTests {
    @Test("LENS-008 a first run finds nothing and reports success")
    func firstRun() async throws {
        let fixture = try AppFixture()
        let report = await fixture.app.launch()
        #expect(report.problems.isEmpty)
        #expect(report.steps == LaunchReport.Step.allCases)
        #expect(!report.hasModelKey && report.cameraSource == .local)
        #expect(report.messages == 0 && report.queuedUploads == 0)
        #expect(report.outcomes.allSatisfy { $1 == ($0 == .deviceEnginePrepared ? .skipped : .done) })
        #expect(fixture.app.settings.current.value == LensSettings())
        #expect(fixture.app.camera.status.value.source == .local)
        #expect(fixture.app.conversation.content.value.messages.isEmpty)
        #expect(try fixture.app.uploads.entries().isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-004 a launch has the model's key before there is a screen; without one it is completed, and the settings say so",
        arguments: ["abc", nil] as [String?]
    )
    @MainActor
    func key(key: String?) async throws {
        let secrets = InMemorySecretStore(key.map { ["gemini_api_key": Secret($0)] } ?? [:])
        let fixture = try AppFixture(secrets: secrets)
        let report = await fixture.app.launch()
        #expect(report.hasModelKey == (key != nil) && report.outcomes[.keyLoaded] == .done)
        #expect(report.steps == LaunchReport.Step.allCases && report.problems.isEmpty)
        #expect(try await fixture.app.modelKey.read()?.reveal() == key)
        let screens = fixture.app.makeScreens()
        screens.settings.appear()
        #expect(screens.settings.state.maskedKey == (key == nil ? "" : SettingsScreen.mask))
        screens.settings.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-005 a launch restores the camera that was used last, and takes the local one for what is no camera",
        arguments: [
            ("veepaWiFi", CameraSourceType.veepaWiFi), ("local", .local), (nil, .local), ("", .local),
            ("sculpture", .local), ("veepawifi", .local), ("\u{0}", .local),
        ] as [(String?, CameraSourceType)]
    )
    func lastCamera(stored: String?, expected: CameraSourceType) async throws {
        let storage = try AppStorage()
        let database = try AppDatabase(path: storage.database("app.sqlite"))
        try SQLitePreferenceStore(database).set(["lastCameraSource": stored])
        let fixture = try AppFixture(storage: storage)
        let report = await fixture.app.launch()
        #expect(report.cameraSource == expected && report.problems.isEmpty)
        #expect(fixture.app.camera.status.value.source == expected)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-006 a launch loads the history; a damaged row is left out, counted and kept, and the rest is there"
    )
    func history() async throws {
        let first = try AppFixture()
        await first.app.conversation.append(ChatMessage(role: .user, content: .text("One")))
        try first.database.write("damage a message") {
            try $0.execute(sql: "INSERT INTO chatMessage (id, body) VALUES ('x', '{not json')")
        }
        await first.app.conversation.append(ChatMessage(role: .assistant, content: .text("Two")))
        try first.database.close()

        let second = try AppFixture(storage: first.storage)
        let report = await second.app.launch()
        #expect(report.messages == 2 && report.unreadableMessages == 1)
        #expect(report.steps == LaunchReport.Step.allCases && report.outcomes[.historyLoaded] == .done)
        let messages = second.app.conversation.content.value.messages
        #expect(messages.map(\.content) == [.text("One"), .text("Two")])
        let kept = try second.database.read("look") {
            try String.fetchAll($0, sql: "SELECT CAST(body AS TEXT) FROM chatMessage WHERE id = 'x'")
        }
        #expect(kept == ["{not json"])
        await second.app.shutdown()
    }

    @Test("LENS-007 after a launch the camera's tab is selected, with no sheet over it")
    @MainActor
    func firstTab() async throws {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        for _ in 0..<2 {
            let screens = fixture.app.makeScreens()
            screens.appear()
            #expect(screens.navigation.state.selectedTab == .camera)
            #expect(screens.navigation.state.presentedSheet == nil)
            await screens.navigation.send(.selectTab(.chat))
            await screens.navigation.send(.present(.cameraDiscovery))
            screens.disappear()
        }
        await fixture.app.shutdown()
    }

    @Test("an app that is wired makes no other tables than those that can be made for it beforehand")
    func tables() async throws {
        func contents(_ database: AppDatabase) throws -> [String] {
            try database.read("ask") { database in
                try String.fetchAll(
                    database,
                    sql:
                        "SELECT printf('%s %s %s %s', type, name, tbl_name, sql) FROM sqlite_master ORDER BY name"
                ) + String.fetchAll(database, sql: "SELECT name FROM schemaStep ORDER BY name")
            }
        }
        let fixture = try AppFixture()
        let prepared = try AppDatabase(path: ":memory:")
        try LensApp.makeTables(in: prepared)
        let wired = try contents(fixture.database)
        #expect(wired.count > 10)
        #expect(try contents(prepared) == wired)
        #expect(try contents(AppDatabase(beginningAs: prepared.image())) == wired)
    }

    @Test("LENS-009 LENS-051 a relaunch finds history, queue, settings, camera and secrets again")
    func relaunch() async throws {
        let storage = try AppStorage()
        // Another one at each launch, over the same files.
        func secrets() -> FileSecretStore {
            FileSecretStore(
                path: storage.path("secrets"),
                key: .file(storage.path("secrets.key")),
                on: storage.files
            )
        }
        let credentials = CameraCredentials(device: "VSTC-1", password: Secret("pass"))
        let store = ScriptedObjectStore([.fails(.unauthorized)])
        let first = try AppFixture(storage: storage, store: store) { $0.secrets = secrets() }
        _ = await first.app.launch()
        try await first.app.modelKey.write("abc")
        try CameraKey(secrets()).write(credentials)
        first.app.settings.update {
            $0.framesPerSecond = 7
            $0.videoResolution = .vga
            $0.speechEnabled = false
        }
        try await first.app.camera.switchTo(.veepaWiFi)
        let settings = first.app.settings.current.value
        await first.app.conversation.append(ChatMessage(role: .user, content: .text("Hi")))
        let item = try await first.app.capturePhoto()
        try first.app.uploads.add(item)
        await first.app.uploads.statuses.status(of: item.id).reaches { $0.offersRetry }
        await first.app.shutdown()
        try first.database.close()

        let second = try AppFixture(storage: storage) { $0.secrets = secrets() }
        let report = await second.app.launch()
        #expect(report.problems.isEmpty && report.hasModelKey)
        #expect(try await second.app.modelKey.read()?.reveal() == "abc")
        #expect(try CameraKey(secrets()).read() == credentials)
        #expect(second.app.conversation.content.value.messages.map(\.content) == [.text("Hi")])
        #expect(report.cameraSource == .veepaWiFi && second.app.camera.status.value.source == .veepaWiFi)
        #expect(report.messages == 1 && report.queuedUploads == 1)
        #expect(second.app.settings.current.value == settings && settings.framesPerSecond == 7)
        #expect(second.app.uploads.statuses.status(of: item.id).value.badge == .redCross)
        await second.app.shutdown()
    }

    @Test("LENS-089 a stream shows either camera, and its replies are shown, kept and spoken")
    func stream() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        _ = await fixture.app.launch()
        fixture.app.settings.update { $0.framesPerSecond = 1_000 }
        try await fixture.app.startStreaming()
        await session.sent.reaches { $0.contains(.frame([1])) }
        try await fixture.app.camera.switchTo(.veepaWiFi)
        await session.sent.reaches { $0.contains(.frame([2])) }

        session.say(.text("A do"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "A do" }
        session.say(.text("or. Red."), .turnComplete)
        await fixture.app.conversation.content.reaches {
            $0.messages.map(\.content) == [.text("A door. Red.")]
        }
        await fixture.app.voice.isSpeaking.reaches { !$0 }
        await fixture.app.conversation.content.reaches { $0.streamingResponse.isEmpty }
        #expect(fixture.synthesizer.utterances.first?.text == "A door.")
        await fixture.app.shutdown()
        #expect(session.closes.value == 1)
        #expect(fixture.wireless.calls.value.last == "disconnect")
    }

    @Test("a wish to upload that a crash kept from the queue is fulfilled after the relaunch")
    func wish() async throws {
        let first = try AppFixture()
        try first.documents.create()
        try await first.app.camera.connect()
        // The crash comes after the item was noted and before it is queued.
        let item = try await first.app.photos.capture(wantsUpload: true)
        let second = try AppFixture(storage: first.storage)
        _ = await second.app.launch()
        await second.app.uploads.statuses.status(of: item.id).reaches { $0 == .completed }
        await second.app.shutdown()
    }

    @Test func `a launch removes what a kill in the middle of a photo has left, and keeps the photos`()
        async throws
    {
        let first = try AppFixture()
        _ = await first.app.launch()
        try await first.app.camera.connect()
        _ = try await first.app.capturePhoto()
        await first.app.shutdown()
        let left = "\(first.documents.path)/.\(MediaLibrary.fileName(of: UUID(), kind: .photo)).partial"
        let partial = try first.files.createFile(left)
        try partial.write([1])
        partial.close()
        let names = first.documents.names()
        let second = try AppFixture(storage: first.storage)
        let report = await second.app.launch()
        #expect(report.problems.isEmpty && !second.files.contains(left))
        #expect(second.documents.names() == names && second.app.gallery.content.value.items.count == 1)
        await second.app.shutdown()
    }

    @Test("LENS-172 an upload cut off by a crash is done once after the relaunch")
    func crashWhileUploading() async throws {
        let store = ScriptedObjectStore()
        let first = try AppFixture(store: store)
        _ = await first.app.launch()
        try await first.app.camera.connect()
        let item = try await first.app.capturePhoto()
        store.gate.set(false)
        try first.app.uploads.add(item)
        await store.puts.reaches { $0.count == 1 }
        #expect(try first.app.uploads.entries().map(\.state) == [.inWork])
        // The dead process writes no more.
        try first.database.close()

        let second = try AppFixture(storage: first.storage, store: store)
        _ = await second.app.launch()
        store.gate.set(true)
        await second.app.uploads.statuses.status(of: item.id).reaches { $0 == .completed }
        await first.app.shutdown()
        await second.app.shutdown()
        #expect(store.objects.count == 1)
        #expect(try second.app.uploads.entries().isEmpty)
    }
}
