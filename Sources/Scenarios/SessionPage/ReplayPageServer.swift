internal import Foundation
public import HTTPTypes
public import PageKit
public import SessionRecording
public import Transport

/// The page of an app, showing a recorded session: what each screen showed at a time, what was done, and what crossed the network.
///
/// Whoever looks at it changes nothing of it; marks are kept beside it, see `SessionMarksFile`. The file is opened for reading alone, and read piece by piece. Everything needs the
/// `PageToken`, as the page of the app does; see ``address(at:)``. The protocol is in `Documentation/PageKit.md`.
public final class ReplayPageServer: AddressedServer {
    /// What is shown: the recording's name without its place, `demo.lenssession`.
    public let name: String

    private let app: ShownApp
    private let entrance: PageEntrance
    private let recording: ReplayedScreens
    private let bodies: RecordedBodies
    private let film: RecordedFilm
    private let marks: SessionMarksFile
    private let viewers = PageSeats(PageEntrance.tabLimit)

    /// Opens a recording's screens.
    ///
    /// - Parameters:
    ///   - app: The app that was recorded.
    ///   - session: The recording.
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call the server by, in lower case.
    ///   - moment: Where a page without a saved position begins, in seconds since the start; `nil` for the first event.
    /// - Throws: `withoutScreens`, `ofAnotherApp`, `damaged`.
    public init(
        _ app: ShownApp,
        _ session: SessionReader,
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames,
        at moment: Double? = nil
    ) throws(SessionError) {
        self.app = app
        recording = try ReplayedScreens(app, session, at: moment)
        bodies = RecordedBodies(session)
        film = RecordedFilm(session)
        marks = SessionMarksFile(beside: session.path)
        name = recording.facts.name
        entrance = PageEntrance(app.assets.showingRecording, token: token, hosts: hosts)
    }

    /// What is to be opened in a browser, with the token; for the user alone.
    public func address(at authority: String) -> String { entrance.address(at: authority) }

    // MARK: Server

    private static let filmFolder = "/film/"

    /// Answers a request.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        (entrance.answer(to: request) ?? answer(request)).response(to: request)
    }

    private func answer(_ request: HTTPRequest) -> PageAnswer {
        guard request.isReading else { return .notPossible }
        let path = request.pathAndQuery.path
        if path == "/socket" { return entrance.wordOnSocket(hasRoom: viewers.hasRoom) }
        do throws(SessionError) {
            if path.hasPrefix(Self.filmFolder) {
                let number = Int(path.dropFirst(Self.filmFolder.count)) ?? -1
                return try film.picture(number).flatMap(PageAnswer.picture) ?? .notFound
            }
            switch try app.pictures(path, recording.timeline.session, bodies) {
            case .file(let bytes)?: return .picture(bytes) ?? .missingPicture
            case .missing?: return .missingPicture
            case nil: return .notFound
            }
        } catch {
            return .missingPicture
        }
    }

    /// Accepts the socket of a page.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        if let refusal = entrance.refusal(of: request) { return refusal.refusal }
        guard let seat = viewers.take() else { return entrance.tooManyTabs.refusal }
        return .accept(PageEntrance.socketLimits) { [recording, film, marks] socket in
            await ReplayViewer(recording, film, marks).serve(socket)
            seat.leave()
        }
    }
}
