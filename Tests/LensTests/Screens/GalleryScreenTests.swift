import AppKernel
import Concurrency
import Files
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Gallery screen", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct GalleryScreenTests {
    /// An app with so many photos, whose uploads run when they are asked to.
    private func fixture(
        photos: Int,
        store: ScriptedObjectStore = ScriptedObjectStore()
    ) async throws -> (AppFixture, [UUID]) {
        let fixture = try AppFixture(store: store)
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        var ids: [UUID] = []
        for number in 0..<photos {
            fixture.local.show(number + 1)
            ids.append(try await fixture.app.capturePhoto().id)
        }
        await fixture.app.gallery.refresh()
        return (fixture, ids)
    }

    @Test(
        "LENS-154 the gallery lists photos and videos of the folder, newest first, and nothing of an empty one"
    )
    func list() async throws {
        let (empty, _) = try await fixture(photos: 0)
        let none = GalleryScreen(empty.app)
        none.appear()
        #expect(none.state.items.isEmpty && none.state.alert == nil)

        let (fixture, photos) = try await fixture(photos: 2)
        let video = UUID()
        try fixture.documents.create(MediaLibrary.fileName(of: video, kind: .video), bytes: [1])
        #expect(try fixture.app.library.adoptFiles() == 1)
        await fixture.app.gallery.restore()
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        #expect(screen.state.items.map(\.id) == [video] + photos.reversed())
        #expect(screen.state.items.map(\.kind) == [.video, .photo, .photo])
        let dates = screen.state.items.map(\.createdAt)
        #expect(dates == dates.sorted(by: >))
    }

    @Test("LENS-155 items are selected and deselected, one or several, and none is selected after a deletion")
    func selection() async throws {
        let (fixture, ids) = try await fixture(photos: 3)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        await screen.send(.select(ids[0]))
        #expect(screen.state.selection == [ids[0]])
        await screen.send(.select(ids[2]))
        #expect(screen.state.selection == [ids[2], ids[0]])
        await screen.send(.deselect(ids[0]))
        #expect(screen.state.selection == [ids[2]])
        await screen.send(.select(UUID()))
        #expect(screen.state.selection == [ids[2]])
        await screen.send(.deleteSelection)
        #expect(screen.state.selection.isEmpty && screen.state.items.map(\.id) == [ids[1], ids[0]])
        await screen.send(.selectAll)
        #expect(screen.state.selection.count == 2)
        await screen.send(.clearSelection)
        #expect(screen.state.selection.isEmpty && screen.state.items.count == 2)
    }

    @Test func `an item that comes later is not selected because its identity was`() async throws {
        let (fixture, ids) = try await fixture(photos: 1)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        let later = UUID()
        await screen.send(.select(later))
        try fixture.documents.create(MediaLibrary.fileName(of: later, kind: .photo), bytes: [8])
        #expect(try fixture.app.library.adoptFiles() == 1)
        await fixture.app.gallery.restore()
        await screen.send(.select(ids[0]))
        #expect(screen.state.items.map(\.id) == [later, ids[0]] && screen.state.selection == ids)
    }

    @Test("LENS-157 an item that is opened is in a sheet, whose screen holds it and no other")
    func preview() async throws {
        let (fixture, ids) = try await fixture(photos: 2)
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.navigation.send(.selectTab(.gallery))
        await screens.navigation.send(.present(.mediaPreview(ids[0])))
        #expect(screens.navigation.state.presentedSheet == .mediaPreview(ids[0]))
        await screens.preview.states.reaches { $0.item?.id == ids[0] }
        await screens.navigation.send(.present(.mediaPreview(ids[1])))
        await screens.preview.states.reaches { $0.item?.id == ids[1] }
        await screens.preview.send(.delete)
        #expect(screens.preview.state.item == nil && screens.preview.state.alert == nil)
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [ids[0]])
        await screens.navigation.send(.dismissSheet)
        await screens.preview.states.reaches { $0.item == nil }
        await screens.navigation.send(.present(.mediaPreview(ids[1])))
        #expect(screens.navigation.state.presentedSheet == nil && screens.navigation.state.alert != nil)
        screens.disappear()
    }

    @Test("LENS-158 an upload that is asked for is in the queue, from the gallery and from the preview")
    func upload() async throws {
        let (fixture, ids) = try await fixture(photos: 3)
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.navigation.send(.selectTab(.gallery))
        await screens.gallery.send(.upload(ids[0]))
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [ids[0]])
        await screens.navigation.send(.present(.mediaPreview(ids[1])))
        await screens.preview.states.reaches { $0.item?.id == ids[1] }
        await screens.preview.send(.upload)
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [ids[0], ids[1]])
        await screens.gallery.send(.selectAll)
        await screens.gallery.send(.uploadSelection)
        #expect(Set(try fixture.app.uploads.entries().map(\.work.mediaID)) == Set(ids))
        screens.disappear()
    }

    @Test("LENS-185 LENS-187 the badge of an item follows its upload: waiting, under way, failed, and done")
    func badges() async throws {
        let store = ScriptedObjectStore([.fails(.unauthorized)])
        let (fixture, ids) = try await fixture(photos: 1, store: store)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        #expect(screen.state.items.map(\.badge) == [UploadBadge.none] && screen.state.items[0].offersUpload)
        let running = Task { await fixture.app.gallery.run() }
        store.gate.set(false)
        await screen.send(.upload(ids[0]))
        await screen.states.reaches { $0.items.map(\.badge) == [.pending] && !$0.items[0].offersUpload }
        let uploading = Task { await fixture.app.uploads.processQueue() }
        await screen.states.reaches { $0.items.map(\.badge) == [.uploading] }
        store.gate.set(true)
        await uploading.value
        await screen.states.reaches { $0.items.map(\.badge) == [.redCross] }
        #expect(screen.state.items[0].failure?.text == "The storage does not accept the key.")
        #expect(screen.state.items[0].offersUpload && !screen.state.items[0].isShared)
        await screen.send(.upload(ids[0]))
        await fixture.app.uploads.processQueue()
        await screen.states.reaches { $0.items.map(\.badge) == [.greenCheck] }
        #expect(screen.state.items[0].isShared && !screen.state.items[0].offersUpload)
        running.cancel()
    }

    @Test func `an alert is there exactly while something went wrong, says what, and goes when it is closed`()
        async throws
    {
        let (fixture, ids) = try await fixture(photos: 1)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        await screen.send(.select(ids[0]))
        #expect(screen.state.alert == nil)
        try fixture.database.close()
        await screen.send(.deleteSelection)
        let alert = try #require(screen.state.alert)
        #expect(alert.title == "The selection was not deleted" && !alert.text.isEmpty && alert.offersRetry)
        #expect(!"\(alert)".contains(fixture.documents.path))
        #expect(screen.state.items.count == 1 && !screen.state.isLoading)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        // The gallery and the queue cannot be read either: each says so until it is closed.
        await fixture.app.gallery.restore()
        await fixture.app.uploads.processQueue()
        try #require(fixture.app.gallery.failure.value != nil && fixture.app.uploads.failure.value != nil)
        for _ in 0..<2 {
            await screen.states.reaches { $0.alert?.title == "The gallery is not up to date" }
            await screen.send(.dismissAlert)
        }
        #expect(screen.state.alert == nil)
    }

    @Test("LENS-216 every screen has a state, and follows the services while it is shown")
    func screens() async throws {
        let (fixture, _) = try await fixture(photos: 1)
        let screens = fixture.app.makeScreens()
        #expect(
            screens.encoded.map(\.name) == [
                "navigation", "camera", "discovery", "setup", "stream", "gallery", "preview", "analysis",
                "chat", "reply",
                "settings",
            ]
        )
        for screen in screens.encoded { #expect(try screen.state().starts(with: Data("{".utf8))) }
        let all: [any Screen] = screens.all
        #expect(all.count == screens.encoded.count)
        screens.appear()
        await screens.navigation.send(.selectTab(.chat))
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("Hi")))
        await screens.chat.states.reaches { $0.messages.count == 1 }
        screens.disappear()
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("unseen")))
        for _ in 0..<100 { await Task.yield() }
        #expect(screens.chat.state.messages.count == 1)
        screens.appear()
        #expect(screens.chat.state.messages.count == 2)
        screens.disappear()
        await fixture.app.shutdown()
    }
}
