import AppKernel
import Concurrency
import Files
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import Simulation
import TestSupport
import Testing

@Suite("Trying again", .timeLimit(.minutes(10)))
@MainActor
struct RetryTests {
    /// An app with so many photos, oldest first.
    private func fixture(photos: Int) async throws -> (AppFixture, [UUID]) {
        let fixture = try AppFixture()
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        var ids: [UUID] = []
        for _ in 0..<photos { ids.append(try await fixture.app.capturePhoto().id) }
        return (fixture, ids)
    }

    private func lock(_ table: String, _ fixture: AppFixture) throws {
        try fixture.database.write("refuse") {
            for event in ["INSERT", "UPDATE"] {
                try $0.execute(
                    sql: """
                        CREATE TRIGGER locked\(event) BEFORE \(event) ON \(table)
                        BEGIN SELECT RAISE(ABORT, 'no'); END
                        """
                )
            }
        }
    }

    private func unlock(_ fixture: AppFixture) throws {
        try fixture.database.write("allow") {
            for event in ["INSERT", "UPDATE"] { try $0.execute(sql: "DROP TRIGGER locked\(event)") }
        }
    }

    @Test(arguments: [false, true])
    func `after a kill in the middle of an answer the question can be asked again`(_ isKeptInPart: Bool)
        async throws
    {
        let gate = CurrentValue(false)
        let fixture = try AppFixture(chat: ScriptedChatModel([[.text("Begun"), .waits(gate)]]))
        let first = ChatScreen(fixture.app)
        first.appear()
        await first.send(.say("Hello?"))
        await first.states.reaches { $0.streamingResponse == "Begun" }
        #expect(!first.state.canAskAgain)
        if isKeptInPart { await first.send(.stopReply) }
        let next = try AppFixture(storage: fixture.storage, chat: ScriptedChatModel(texts: "Here I am."))
        _ = await next.app.launch()
        let screen = ChatScreen(next.app)
        screen.appear()
        #expect(screen.state.messages.map(\.text) == (isKeptInPart ? ["Hello?", "Begun"] : ["Hello?"]))
        #expect(screen.state.canAskAgain)
        await screen.send(.askAgain)
        await screen.states.reaches { $0.messages.last?.text == "Here I am." && !$0.isStreaming }
        #expect(screen.state.messages.map(\.text) == ["Hello?", "Here I am."])
        #expect(!screen.state.canAskAgain && screen.state.alert == nil)
        await next.app.shutdown()
        await fixture.app.shutdown()
    }

    @Test func `a deletion that is tried again deletes what was to be deleted, not what is selected now`()
        async throws
    {
        let (fixture, ids) = try await fixture(photos: 3)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        await screen.send(.select(ids[0]))
        try lock("mediaItem", fixture)
        await screen.send(.deleteSelection)
        #expect(screen.state.alert?.offersRetry == true && screen.state.items.count == 3)
        try unlock(fixture)
        await screen.send(.clearSelection)
        await screen.send(.select(ids[1]))
        await screen.send(.retry)
        #expect(screen.state.items.map(\.id) == [ids[2], ids[1]])
        #expect(screen.state.selection == [ids[1]] && screen.state.alert == nil)
    }

    @Test func `an upload that is tried again queues what was to be queued, not what is selected now`()
        async throws
    {
        let (fixture, ids) = try await fixture(photos: 3)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        for id in ids.prefix(2) { await screen.send(.select(id)) }
        try lock("outbox", fixture)
        await screen.send(.uploadSelection)
        #expect(screen.state.alert?.title == "The upload was not queued")
        try unlock(fixture)
        await screen.send(.clearSelection)
        await screen.send(.select(ids[2]))
        await screen.send(.retry)
        #expect(Set(try fixture.app.uploads.entries().map(\.work.mediaID)) == Set(ids.prefix(2)))
    }

    @Test func `what failed for one item is not repeated with another one that the preview shows since`()
        throws
    {
        for seed in 1...30 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run { try await Self.changeItemWhileDeleting() }
        }
    }

    private static func changeItemWhileDeleting() async throws {
        let fixture = try AppFixture()
        let (app, database) = (fixture.app, fixture.database)
        try fixture.documents.create()
        try await app.camera.connect()
        let (one, other) = (try await app.capturePhoto().id, try await app.capturePhoto().id)
        let screens = app.makeScreens()
        screens.appear()
        await screens.navigation.send(.present(.mediaPreview(one)))
        await screens.preview.states.reaches { $0.item?.id == one }
        try database.write("refuse") {
            try $0.execute(
                sql: "CREATE TRIGGER locked BEFORE UPDATE ON mediaItem BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        let deleting = Task { await screens.preview.send(.delete) }
        await screens.navigation.send(.present(.mediaPreview(other)))
        await screens.preview.states.reaches { $0.item?.id == other }
        await deleting.value
        try database.write("allow") { try $0.execute(sql: "DROP TRIGGER locked") }
        await screens.preview.send(.retry)
        #expect(app.gallery.content.value.items.contains { $0.id == other })
        screens.disappear()
        await app.shutdown()
    }
}
