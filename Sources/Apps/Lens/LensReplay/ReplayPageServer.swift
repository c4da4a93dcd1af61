internal import Foundation
public import HTTPTypes
internal import LensPage
public import PageKit
public import SessionRecording
public import Transport

/// The page of Lens, showing a recorded session: what each screen showed at a time, and what was done.
///
/// Whoever looks at it changes nothing: the file is opened for reading alone, and read piece by piece. Everything needs the
/// `PageToken`, as the page of the app does; see ``address(at:)``. The protocol is in `Documentation/LensPage.md`.
public final class ReplayPageServer: Server {
    /// What is shown: the recording's name without its place, `demo.lenssession`.
    public let name: String

    private let entrance: PageEntrance
    private let recording: ReplayedScreens
    private let viewers = PageSeats(PageEntrance.tabLimit)

    /// Opens a recording's screens.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call the server by, in lower case.
    /// - Throws: `withoutScreens`, `damaged`.
    public init(
        _ session: SessionReader,
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) throws(SessionError) {
        recording = try ReplayedScreens(session)
        name = recording.facts.name
        entrance = PageEntrance(.lensReplay, token: token, hosts: hosts)
    }

    /// What is to be opened in a browser, with the token; for the user alone.
    public func address(at authority: String) -> String { entrance.address(at: authority) }

    // MARK: Server

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
        return path == "/socket" ? entrance.wordOnSocket(hasRoom: viewers.hasRoom) : picture(path)
    }

    /// Accepts the socket of a page.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        if let refusal = entrance.refusal(of: request) { return refusal.refusal }
        guard let seat = viewers.take() else { return entrance.tooManyTabs.refusal }
        return .accept(PageEntrance.socketLimits) { [recording] socket in
            await ReplayViewer(recording).serve(socket)
            seat.leave()
        }
    }

    // MARK: Pictures

    /// What was sent to the assistant, `/stills/<number>`, or a photo, `/media/<id>` and the like.
    private func picture(_ path: Substring) -> PageAnswer {
        let parts = path.split(separator: "/")
        guard parts.count == 2 else { return .notFound }
        do throws(SessionError) {
            let bytes: [UInt8]?
            switch parts[0] {
            case "stills":
                guard let number = Int64(parts[1]) else { return .notFound }
                bytes = try recording.timeline.session.picture(inMessage: number)
            case "media", "thumbnails", "pictures", "attachments", "videos":
                guard let id = UUID(uuidString: String(parts[1])) else { return .notFound }
                bytes = try recording.timeline.session.picture(
                    endingWith: "\(id.uuidString.lowercased()).jpg"
                )
            default: return .notFound
            }
            return bytes.map { PageAnswer(status: .ok, type: "image/jpeg", body: .bytes($0)) }
                ?? .missingPicture
        } catch {
            return .missingPicture
        }
    }
}
