import AppKernel
import Concurrency
import Files
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("A large gallery", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct LargeGalleryTests {
    @Test func `a state has one page of items, and every item is on one`() async throws {
        let (_, screen, ids) = try await GalleryScreen.large(2 * Gallery.window + 1)
        #expect(screen.state.items.map(\.id) == Array(ids.prefix(Gallery.window)))
        #expect(screen.state.hasEarlier && !screen.state.hasLater)
        await screen.send(.showEarlier)
        #expect(screen.state.items.map(\.id) == Array(ids[Gallery.window..<(2 * Gallery.window)]))
        #expect(screen.state.hasEarlier && screen.state.hasLater)
        await screen.send(.showEarlier)
        #expect(screen.state.items.map(\.id) == [ids[2 * Gallery.window]])
        #expect(!screen.state.hasEarlier && screen.state.hasLater)
        await screen.send(.showEarlier)
        #expect(screen.state.items.count == 1)
        await screen.send(.showNewest)
        #expect(screen.state.items.first?.id == ids[0] && !screen.state.hasLater)
    }

    @Test
    func `new photos do not move the page that is shown, and a page that is deleted gives way to the newest`()
        async throws
    {
        let (fixture, screen, ids) = try await GalleryScreen.large(Gallery.window + 2)
        await screen.send(.showEarlier)
        let shown = Array(ids.suffix(2))
        let new = UUID()
        try fixture.app.library.add(id: new, kind: .photo, createdAt: Date(), wantsUpload: false)
        await fixture.app.gallery.refresh()
        await screen.send(.dismissAlert)
        #expect(screen.state.items.map(\.id) == shown)
        try await fixture.app.gallery.delete([shown[0]])
        await screen.send(.dismissAlert)
        #expect(screen.state.items.map(\.id) == [shown[1]] && screen.state.hasLater)
        await screen.send(.selectAll)
        #expect(screen.state.selection == [shown[1]])
        await screen.send(.deleteSelection)
        #expect(screen.state.items.first?.id == new && !screen.state.hasLater)
        await screen.send(.showEarlier)
        #expect(screen.state.items.count == 1 && screen.state.hasLater)
    }

    @Test func `nothing is selected, and so deleted, that is not shown`() async throws {
        let (fixture, screen, ids) = try await GalleryScreen.large(Gallery.window + 3)
        await screen.send(.selectAll)
        #expect(screen.state.selection.count == Gallery.window)
        await screen.send(.showEarlier)
        #expect(screen.state.selection.isEmpty)
        await screen.send(.select(ids[0]))
        #expect(screen.state.selection.isEmpty)
        await screen.send(.selectAll)
        await screen.send(.deselect(ids[Gallery.window]))
        await screen.send(.deleteSelection)
        #expect(fixture.app.gallery.content.value.items.map(\.id) == Array(ids.prefix(Gallery.window + 1)))
    }
}

/// In real time, which virtual time says nothing about.
@Suite("What a large gallery costs", .timeLimit(.minutes(10)))
@MainActor
struct GalleryCostTests {
    @Test func `an action in a gallery of thousands costs what it costs in one of hundreds`() async throws {
        // Looked up in one list after the other, 3,000 selected items cost millions of comparisons.
        let (_, small, _) = try await GalleryScreen.large(300)
        let (_, large, _) = try await GalleryScreen.large(3_000)
        func cost(_ screen: GalleryScreen) async -> Duration {
            await screen.send(.selectAll)
            var best = Duration.seconds(60)
            for _ in 0..<5 {
                let start = ContinuousClock.now
                for _ in 0..<10 { await screen.send(.dismissAlert) }
                best = min(best, ContinuousClock.now - start)
            }
            return best
        }
        let (few, many) = (await cost(small), await cost(large))
        #expect(many < few * 20, "\(many) with 3,000 items, \(few) with 300")
    }
}

extension GalleryScreen {
    /// An app with so many noted photos, newest first, of which there are no files.
    fileprivate static func large(_ count: Int) async throws -> (AppFixture, GalleryScreen, [UUID]) {
        let database = try AppDatabase(path: ":memory:")
        let fixture = try AppFixture { $0.database = database }
        try fixture.documents.create()
        let ids = (0..<count).map { _ in UUID() }
        for (number, id) in ids.enumerated() {
            try fixture.app.library.add(
                id: id,
                kind: .photo,
                createdAt: Date(timeIntervalSinceReferenceDate: Double(count - number)),
                wantsUpload: false
            )
        }
        await fixture.app.gallery.restore()
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        return (fixture, screen, ids)
    }
}
