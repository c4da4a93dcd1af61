internal import Foundation

/// The tabs that are open, and a few that were open a while ago.
@MainActor
final class PageSessions<Window: PageWindow> {
    /// The most tabs without a socket whose screens are kept for their return.
    static var detachedLimit: Int { 8 }

    private let makeWindow: @MainActor @Sendable () -> Window
    private let speech: BrowserSpeech
    private let hearing: BrowserHearing
    /// The one that was used last at the end.
    private var sessions: [PageSession<Window>] = []

    nonisolated init(
        speech: BrowserSpeech,
        hearing: BrowserHearing,
        window: @escaping @MainActor @Sendable () -> Window
    ) {
        makeWindow = window
        self.speech = speech
        self.hearing = hearing
    }

    /// The tab of that name; `nil` when it is not known any more.
    func session(_ id: String) -> PageSession<Window>? { sessions.first { $0.id == id } }

    /// The windows of all tabs.
    var windows: [Window] { sessions.map(\.window) }

    /// The tab that comes back, or a new one.
    func open(_ id: String?) -> (session: PageSession<Window>, resumed: Bool) {
        if let id, let index = sessions.firstIndex(where: { $0.id == id }) {
            let session = sessions.remove(at: index)
            sessions.append(session)
            return (session, true)
        }
        let session = PageSession(
            id: UUID().uuidString.lowercased(),
            window: makeWindow(),
            speech: speech,
            hearing: hearing
        )
        sessions.append(session)
        return (session, false)
    }

    /// Forgets the tabs that were left longest ago, past ``detachedLimit``.
    func trim() {
        while sessions.count(where: { !$0.isAttached }) > Self.detachedLimit,
            let index = sessions.firstIndex(where: { !$0.isAttached })
        {
            sessions.remove(at: index).end()
        }
    }
}
