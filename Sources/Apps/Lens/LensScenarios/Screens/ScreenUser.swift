import Concurrency
import Foundation
import Lens
import LensScreens
import ScenarioKit
import ScreenKit
import Simulation

/// A user with a window on the app: does anything at any time, looks at what is shown, and remembers it.
@MainActor
final class ScreenUser {
    let screens: LensScreens
    private let app: LensApp
    private let memory: UserMemory

    /// The longest that anything a user does may take: the app's own limits are shorter.
    ///
    /// An action that never ends is a deadlock, which the engine reports.
    private static let patience = Duration.seconds(180)

    init(_ app: LensApp, memory: UserMemory) {
        self.app = app
        self.memory = memory
        screens = app.makeScreens()
        RunScreens.follow(screens.encoded)
        screens.appear()
    }

    /// Performs `count` actions, some concurrently.
    func act(_ count: Int, pause: Duration) async throws {
        var underWay: [Task<Void, any Error>] = []
        for _ in 0..<count {
            let action = UserAction.random(on: screens)
            underWay.append(Task { try await act(action) })
            try await Task.sleep(for: pause * Double.random(in: 0...1))
        }
        for task in underWay { try await task.value }
    }

    /// Does one thing, and remembers what the app has confirmed by it.
    private func act(_ action: UserAction) async throws {
        note(before: action)
        let start = ContinuousClock.now
        await action.send(to: screens)
        let time = ContinuousClock.now - start
        try check(
            time < Self.patience,
            "what a user does is done or has failed in time",
            "\(action) took \(time)"
        )
        note(after: action)
    }

    private func note(before action: UserAction) {
        switch action {
        // A retry is about the items of before.
        case .gallery(.deleteSelection):
            let selection = screens.gallery.state.selection
            memory.update { $0.perhapsDeleted.formUnion(selection) }
        case .preview(.delete):
            if let id = screens.preview.state.item?.id { memory.update { $0.perhapsDeleted.insert(id) } }
        case .chat(.clearHistory): memory.update { ($0.isClearing, $0.messages) = (true, []) }
        case .settings, .camera(.setResolution): memory.update { $0.settings = nil }
        default: break
        }
    }

    private func note(after action: UserAction) {
        switch action {
        case .camera:
            if let photo = screens.camera.state.lastPhoto { memory.update { $0.photos.insert(photo) } }
            if let video = screens.camera.state.lastVideo { memory.update { $0.videos.insert(video) } }
        case .discovery(.setUp):
            if app.camera.status.value.source == .veepaWiFi, app.camera.status.value.state == .connected {
                memory.update { $0.hasSetUpCamera = true }
            }
        case .gallery, .preview:
            let shown = Set(app.gallery.content.value.items.map(\.id))
            memory.update {
                $0.deleted.formUnion($0.perhapsDeleted.intersection($0.taken).subtracting(shown))
            }
        default: break
        }
    }

    /// Goes through all tabs while nothing is under way, and compares what they show with what the services have.
    func look() async throws {
        for tab in NavigationScreen.Tab.allCases {
            await screens.navigation.send(.selectTab(tab))
            if screens.navigation.state.presentedSheet != nil { await screens.navigation.send(.dismissSheet) }
            try await Task.sleep(for: .milliseconds(500))
            switch tab {
            case .camera:
                try await waitForCamera()
                try compare(screens.camera, CameraScreen(app)) {
                    ($0.alert, $0.lastPhoto, $0.toast, $0.focus) = (nil, nil, nil, nil)
                }
                let recorder = app.recorder.status.value
                try check(recorder.phase == .idle, "a recording ends when it is stopped", "\(recorder.phase)")
                try check(!screens.camera.state.isLoading, "a camera screen does not stay busy", "it is")
                try compare(screens.stream, StreamScreen(app)) { $0.alert = nil }
            case .gallery:
                await screens.gallery.send(.showNewest)
                try compare(screens.gallery, GalleryScreen(app)) { ($0.alert, $0.selection) = (nil, []) }
                try check(!screens.gallery.state.isLoading, "a gallery does not stay busy", "it is")
                try checkGallery()
                try await checkVideos()
            case .chat:
                await screens.chat.send(.showNewest)
                try compare(screens.chat, ChatScreen(app)) {
                    ($0.alert, $0.inputText, $0.attachment) = (nil, "", nil)
                    ($0.attachmentMenu, $0.openVideo) = (nil, nil)
                }
                try check(!screens.chat.state.isLoading, "a chat does not stay busy", "it is")
                try check(!screens.chat.state.isListening, "listening ends", "somebody is")
                try checkWords()
            case .settings:
                try compare(screens.settings, SettingsScreen(app)) { ($0.alert, $0.maskedKey) = (nil, "") }
            }
        }
        memory.update {
            $0.settings = screens.settings.state.settings
            $0.messages = screens.chat.state.messages.map(\.id)
            $0.isClearing = false
        }
    }

    /// A camera of the network that does not answer is given up after a while.
    private func waitForCamera() async throws {
        for _ in 0..<120 where app.camera.status.value.state == .connecting || screens.camera.state.isLoading
        {
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// What a screen shows is what one shows that is made now; `own` removes what belongs to a screen alone.
    private func compare<S: Screen>(_ screen: S, _ fresh: S, _ own: (inout S.State) -> Void) throws {
        var (shown, present) = (screen.state, fresh.state)
        own(&shown)
        own(&present)
        try check(shown == present, "a screen shows what the services have", "\(shown) instead of \(present)")
    }

    /// The gallery is what library and queue say together, and has all that was confirmed.
    private func checkGallery() throws {
        let items = screens.gallery.state.items
        let library = Set(try app.library.items().map(\.id))
        try check(
            Set(items.map(\.id)) == library,
            "the gallery has the items of the library",
            "\(items.count) of \(library.count)"
        )
        let (shown, remembered) = (Set(items.map(\.id)), memory.value)
        let lost = remembered.taken.subtracting(remembered.perhapsDeleted).subtracting(shown)
        try check(
            lost.isEmpty,
            "a photo or video that was shown as taken is in the gallery",
            "\(lost.count) are not"
        )
        let back = remembered.deleted.intersection(shown)
        try check(back.isEmpty, "an item that was deleted does not come back", "\(back.count) did")
    }

    /// Each video of the gallery can be played: also one of which the phone was killed.
    private func checkVideos() async throws {
        for item in screens.gallery.state.items where item.kind == .video {
            let video = await app.videos.description(of: item.id)
            // Another user may have deleted it meanwhile.
            guard video == nil, app.gallery.item(item.id) != nil else { continue }
            try check(false, "a video of the gallery can be played", "\(item.id) cannot")
        }
    }

    /// What a user says is what was typed or spoken, and nothing that the app itself has said aloud.
    private func checkWords() throws {
        for message in screens.chat.state.messages where message.role == .user {
            let foreign = message.text.split(whereSeparator: \.isWhitespace)
                .filter { !UserAction.words.contains(String($0)) && !$0.allSatisfy { $0 == "é" } }
            // What is too long is cut, also in the middle of a word.
            guard message.text.count < ChatScreen.inputLimit - 20 else { continue }
            try check(
                foreign.isEmpty,
                "what a user says is what was typed or spoken",
                "\(foreign.joined(separator: " "))"
            )
        }
    }

    /// What was there when the app ended is there after its start.
    func checkAfterRelaunch() async throws {
        let remembered = memory.value
        if let settings = remembered.settings {
            let now = app.settings.current.value
            try check(
                now == settings,
                "settings that were shown are kept",
                "\(now) instead of \(settings)"
            )
        }
        let kept = Set(app.conversation.content.value.messages.map(\.id))
        let lost = remembered.messages.filter { !kept.contains($0) }
        try check(
            lost.isEmpty || remembered.isClearing || remembered.messages.count >= Conversation.window,
            "messages that were shown are kept",
            "\(lost.count) of \(remembered.messages.count) are not"
        )
    }
}
