internal import Concurrency
internal import Nova
internal import ScenarioKit
internal import ScreenKit
internal import Synchronization

/// The app on a phone, with the screens of one window.
@MainActor
final class NovaPhone {
    /// The app.
    nonisolated let app: NovaApp
    /// Its screens.
    let screens: NovaScreens

    private let reading = OwnedTasks()

    private init(_ environment: NovaEnvironment) throws {
        app = try NovaApp(environment)
        screens = app.makeScreens()
        RunScreens.follow(screens.named)
        screens.appear()
    }

    /// Makes the app, and launches it.
    ///
    /// - Throws: `DatabaseFailure`.
    static func start(_ environment: NovaEnvironment, _ told: NovaTold) async throws -> NovaPhone {
        let phone = try NovaPhone(environment)
        phone.reading.replace(with: [
            phone.screens.root.states.onChange { [weak phone] in
                guard let phone else { return }
                told.note(phone.screens.root.state.notices)
            }
        ])
        await phone.app.launch()
        return phone
    }

    /// A post on all screens that show it; a tab that is not shown stays as it was.
    func cards(_ postID: String) -> [PostCard] {
        let root = screens.root.state
        guard root.root == .main else { return [] }
        let posts = root.tab == .feed ? screens.feed.state.posts : []
        let cards = posts + screens.profile.state.posts + [screens.post.state.post].compactMap(\.self)
        return cards.filter { $0.id == postID }
    }
}

/// What the app has told the person in notices, over all its processes.
final class NovaTold: Sendable {
    private struct State {
        var process = 0
        var texts: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// The texts, each notice once, in no order.
    var texts: [String] { state.withLock { $0.texts.values.sorted() } }

    /// Another process counts its notices from the beginning.
    func beginProcess() { state.withLock { $0.process += 1 } }

    fileprivate func note(_ notices: [RootViewModel.Notice]) {
        state.withLock { state in
            for notice in notices { state.texts["\(state.process) \(notice.id)"] = notice.text }
        }
    }
}
