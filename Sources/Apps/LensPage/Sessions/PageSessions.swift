internal import AppKernel
internal import Foundation
internal import Lens
internal import LensScreens

/// The tabs that are open, and a few that were open a while ago.
@MainActor
final class PageSessions {
    /// The most tabs without a socket whose screens are kept for their return.
    static let detachedLimit = 8

    private let app: LensApp
    private let speech: BrowserSpeech
    private let hearing: BrowserHearing
    /// The one that was used last at the end.
    private var sessions: [PageSession] = []

    nonisolated init(_ app: LensApp, speech: BrowserSpeech, hearing: BrowserHearing) {
        self.app = app
        self.speech = speech
        self.hearing = hearing
    }

    /// The tab of that name; `nil` when it is not known any more.
    func session(_ id: String) -> PageSession? { sessions.first { $0.id == id } }

    /// The file of that id that is attached in any tab.
    func attachedFile(_ id: UUID) -> [UInt8]? { sessions.lazy.compactMap { $0.attachedFile(id) }.first }

    /// The tab that comes back, or a new one.
    func open(_ id: String?) -> (session: PageSession, resumed: Bool) {
        if let id, let index = sessions.firstIndex(where: { $0.id == id }) {
            let session = sessions.remove(at: index)
            sessions.append(session)
            return (session, true)
        }
        let session = PageSession(
            id: UUID().uuidString.lowercased(),
            screens: app.makeScreens(),
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
