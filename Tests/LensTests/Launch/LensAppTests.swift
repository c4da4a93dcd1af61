import AppKernel
import Foundation
import GRDB
import Lens
import Services
import SimulatedDevice
import TestSupport
import Testing

@Suite("App", .timeLimit(.minutes(1)))
struct LensAppTests {
    @Test("LENS-008 a first run finds nothing and reports success")
    func firstRun() async throws {
        let fixture = try AppFixture()
        let report = await fixture.app.launch()
        #expect(report.problems.isEmpty)
        #expect(report.steps == LaunchReport.Step.allCases)
        #expect(!report.hasModelKey && report.cameraSource == .local)
        #expect(report.messages == 0 && report.queuedUploads == 0)
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

    @Test("LENS-009 LENS-051 a relaunch finds history, queue, settings, camera and key again")
    func relaunch() async throws {
        let secrets = InMemorySecretStore()
        let store = ScriptedObjectStore([.fails(.unauthorized)])
        let first = try AppFixture(store: store, secrets: secrets)
        _ = await first.app.launch()
        try first.app.modelKey.write("abc")
        first.app.settings.update { $0.framesPerSecond = 7 }
        try await first.app.camera.switchTo(.veepaWiFi)
        await first.app.conversation.append(ChatMessage(role: .user, content: .text("Hi")))
        let item = try await first.app.capturePhoto()
        try first.app.uploads.add(item)
        await first.app.uploads.statuses.status(of: item.id).reaches { $0.offersRetry }
        await first.app.shutdown()
        try first.database.close()

        let second = try AppFixture(folder: first.folder, secrets: secrets)
        let report = await second.app.launch()
        #expect(report.problems.isEmpty && report.hasModelKey)
        #expect(report.cameraSource == .veepaWiFi && second.app.camera.status.value.source == .veepaWiFi)
        #expect(report.messages == 1 && report.queuedUploads == 1)
        #expect(second.app.settings.current.value.framesPerSecond == 7)
        #expect(second.app.uploads.statuses.status(of: item.id).value.badge == .redCross)
        await second.app.shutdown()
    }

    @Test("LENS-089 LENS-111 a stream shows either camera, and its replies are shown, kept and spoken")
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
        await fixture.app.conversation.streamingResponse.reaches { $0 == "A do" }
        session.say(.text("or. Red."), .turnComplete)
        await fixture.app.conversation.messages.reaches { $0.map(\.content) == [.text("A door. Red.")] }
        await fixture.app.voice.isSpeaking.reaches { !$0 }
        await fixture.app.conversation.streamingResponse.reaches { $0.isEmpty }
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
        let second = try AppFixture(folder: first.folder)
        _ = await second.app.launch()
        await second.app.uploads.statuses.status(of: item.id).reaches { $0 == .completed }
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
        #expect(try first.app.uploads.entries().map(\.state) == [.uploading])
        // The dead process writes no more.
        try first.database.close()

        let second = try AppFixture(folder: first.folder, store: store)
        _ = await second.app.launch()
        store.gate.set(true)
        await second.app.uploads.statuses.status(of: item.id).reaches { $0 == .completed }
        await first.app.shutdown()
        await second.app.shutdown()
        #expect(store.objects.count == 1)
        #expect(try second.app.uploads.entries().isEmpty)
    }

    @Test("LENS-202 the key is in no file that the app writes")
    func noPlaintext() async throws {
        let secret = "AIza-very-secret-\(UUID().uuidString)"
        let fixture = try AppFixture(secrets: InMemorySecretStore(["gemini_api_key": Secret(secret)]))
        _ = await fixture.app.launch()
        try await fixture.app.camera.connect()
        _ = try await fixture.app.capturePhoto()
        fixture.app.settings.update { $0.autoUpload = true }
        await fixture.app.shutdown()
        let files = try #require(FileManager.default.enumerator(atPath: fixture.folder.path))
        var count = 0
        for case let name as String in files {
            guard let data = FileManager.default.contents(atPath: fixture.folder.file(name)) else { continue }
            count += 1
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        #expect(count >= 2)
        #expect(!"\(Secret(secret))".contains(secret))
    }
}
