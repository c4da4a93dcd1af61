import Concurrency
import Foundation
import LensScreens
import ScreenKit
import SimulationTesting
import Testing

@Suite("Navigation", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct NavigationTests {
    private let item = UUID()

    private let launched = CurrentValue(true)

    private func screen() -> NavigationScreen {
        NavigationScreen(isLaunched: launched.published) { [item] in $0 == item }
    }

    @Test("LENS-240 there are four tabs with their numbers, order, labels and symbols")
    func tabs() {
        let tabs = NavigationScreen.Tab.allCases
        #expect(tabs.map(\.rawValue) == [0, 1, 2, 3])
        #expect(tabs == [.camera, .gallery, .chat, .settings])
        #expect(tabs.map(\.label) == ["Camera", "Gallery", "Chat", "Settings"])
        #expect(tabs.map(\.symbol) == ["camera", "photo.stack", "message", "gear"])
    }

    @Test(
        "LENS-241 at the start the camera is selected, without sheet and path; sheets have stable ids of their own"
    )
    func start() throws {
        let state = screen().state
        #expect(state.selectedTab == .camera && state.presentedSheet == nil && state.navigationPath.isEmpty)
        let url = try #require(URL(string: "https://host/video.mov"))
        let sheets: [NavigationScreen.Sheet] = [.cameraDiscovery, .mediaPreview(item), .videoAnalysis(url)]
        #expect(Set(sheets.map(\.id)).count == 3)
        #expect(NavigationScreen.Sheet.mediaPreview(UUID()).id != sheets[1].id)
        #expect(
            sheets.map(\.id) == [
                "cameraDiscovery", "mediaPreview/\(item.uuidString.lowercased())",
                "videoAnalysis/https://host/video.mov",
            ]
        )
    }

    @Test(
        "LENS-242 a second sheet replaces the first, dismissing leaves none, and each tab keeps its own path"
    )
    func sheets() async {
        let screen = screen()
        await screen.send(.present(.cameraDiscovery))
        await screen.send(.present(.mediaPreview(item)))
        #expect(screen.state.presentedSheet == .mediaPreview(item))
        await screen.send(.dismissSheet)
        #expect(screen.state.presentedSheet == nil)
        await screen.send(.selectTab(.settings))
        await screen.send(.push(.keySettings))
        await screen.send(.push(.about))
        await screen.send(.selectTab(.chat))
        #expect(screen.state.navigationPath.isEmpty)
        await screen.send(.selectTab(.settings))
        #expect(screen.state.navigationPath == [.keySettings, .about])
        await screen.send(.pop)
        #expect(screen.state.navigationPath == [.keySettings])
    }

    @Test("the analysis of a video that is asked for is a sheet about that video")
    func analysis() async throws {
        let screen = screen()
        for name in ["one", "other"] {
            let url = try #require(URL(string: "https://host/\(name).mov"))
            await screen.send(.present(.videoAnalysis(url)))
            #expect(screen.state.presentedSheet == .videoAnalysis(url) && screen.state.alert == nil)
        }
    }

    @Test
    func `an item that was deleted in another window says so when it is tapped, and not that a link failed`()
        async throws
    {
        let screen = screen()
        await screen.send(.present(.mediaPreview(UUID())))
        let alert = try #require(screen.state.alert)
        #expect(screen.state.presentedSheet == nil && !alert.title.contains("link"))
        #expect(!alert.text.contains("link") && alert.text.contains("not there any more"))
        await screen.send(.dismissAlert)
        #expect(screen.state == NavigationScreen.State() || screen.state.alert == nil)
    }

    @Test("LENS-243 a deep link opens its place", arguments: 0..<8)
    func links(index: Int) async throws {
        let url = try #require(URL(string: "https://host/v.mov?a=b"))
        let loud = try #require(URL(string: "HTTPS://host/v.mov"))
        let cases: [(String, NavigationScreen.Tab, NavigationScreen.Sheet?)] = [
            ("camera", .camera, nil), ("gallery", .gallery, nil), ("chat", .chat, nil),
            ("settings", .settings, nil), ("media/\(item.uuidString)", .gallery, .mediaPreview(item)),
            ("discover", .camera, .cameraDiscovery),
            ("analysis?url=https%3A%2F%2Fhost%2Fv.mov%3Fa%3Db", .gallery, .videoAnalysis(url)),
            // Schemes are the same in any case: RFC 3986, section 3.1.
            ("analysis?url=HTTPS%3A%2F%2Fhost%2Fv.mov", .gallery, .videoAnalysis(loud)),
        ]
        let (link, tab, sheet) = cases[index]
        let screen = screen()
        await screen.send(.selectTab(tab == .settings ? .chat : .settings))
        await screen.send(.open("scisymbiolens://\(link)"))
        #expect(screen.state.selectedTab == tab && screen.state.presentedSheet == sheet)
        #expect(screen.state.alert == nil)
    }

    @Test(
        "LENS-244 a link to nowhere changes nothing and is reported",
        arguments: [
            ("scisymbiolens://kitchen", DeepLinkError.unknownPlace), ("https://camera", .foreignScheme),
            ("scisymbiolens://media/123", .badIdentifier),
            ("scisymbiolens://media/4F7E2C1A-0000-0000-0000-000000000000", .missingItem),
            ("scisymbiolens://analysis", .badAddress),
            ("scisymbiolens://analysis?url=file:///etc", .badAddress),
            ("scisymbiolens://camera/extra", .unknownPlace), ("no address", .noAddress), ("", .noAddress),
        ]
    )
    func lost(link: String, error: DeepLinkError) async {
        let screen = screen()
        await screen.send(.selectTab(.chat))
        await screen.send(.present(.cameraDiscovery))
        let before = screen.state
        await screen.send(.open(link))
        #expect(screen.state.alert?.text == error.description)
        var state = screen.state
        state.alert = nil
        #expect(state == before)
        await screen.send(.dismissAlert)
        #expect(screen.state == before)
    }
}
