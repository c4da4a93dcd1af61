internal import Foundation
public import HTTPTypes
internal import ScreenKit
public import Transport

/// An app in a browser: its page, the page's socket, and what the app serves beside them.
///
/// A `Server`, so that any host serves it: one on real sockets for people, and a simulated one for tests.
/// Everything needs the ``PageToken``; see ``address(at:)``. What the page and the server say to each other is in
/// `Documentation/PageKit.md`.
public final class PageServer<Window: PageWindow>: AddressedServer {
    /// Answers the further routes of the app; `nil` where there is nothing at that path.
    public typealias Routes = @Sendable (PageRequest<Window>) async -> PageAnswer?

    private let assets: PageAssets
    private let entrance: PageEntrance
    private let routes: Routes
    private let sessions: PageSessions<Window>
    private let tabs = PageSeats(PageEntrance.tabLimit)

    /// Creates the server of an app.
    ///
    /// - Parameters:
    ///   - assets: The page's files.
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    ///   - speech: The app's voice, where it has one.
    ///   - hearing: The app's recognizer and microphone, where it has one.
    ///   - routes: Further routes of the app.
    ///   - window: Makes the screens of a new tab.
    public init(
        _ assets: PageAssets,
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames,
        speech: BrowserSpeech = BrowserSpeech(),
        hearing: BrowserHearing = BrowserHearing(),
        routes: @escaping Routes = { _ in nil },
        window: @escaping @MainActor @Sendable () -> Window
    ) {
        self.assets = assets
        self.routes = routes
        entrance = PageEntrance(assets, token: token, hosts: hosts)
        sessions = PageSessions(speech: speech, hearing: hearing, window: window)
    }

    /// What is to be opened in a browser, with the token; for the user alone.
    public func address(at authority: String) -> String { entrance.address(at: authority) }

    // MARK: Server

    /// Answers a request.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        await answer(request, body).response(to: request)
    }

    /// Accepts the socket of a page.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        if let refusal = entrance.refusal(of: request) { return refusal.refusal }
        guard let seat = tabs.take() else { return entrance.tooManyTabs.refusal }
        return .accept(PageEntrance.socketLimits) { [sessions] socket in
            await Self.converse(socket, sessions)
            seat.leave()
        }
    }

    @MainActor
    private static func converse(_ socket: any WebSocket, _ sessions: PageSessions<Window>) async {
        guard let hello = await PageMessage.hello(from: socket) else { return }
        let (session, resumed) = sessions.open(hello.page)
        await session.serve(socket, hello, resumed: resumed)
        sessions.trim()
    }

    // MARK: Requests

    private func answer(_ head: HTTPRequest, _ body: HTTPBody) async -> PageAnswer {
        if let answer = entrance.answer(to: head) { return answer }
        let request = PageRequest(head, body, in: sessions)
        if request.path == "/socket", request.isReading {
            return entrance.wordOnSocket(hasRoom: tabs.hasRoom)
        }
        if request.path == "/secret", head.method == .post { return await takeSecret(request) }
        return await routes(request) ?? (request.isReading ? .notFound : .notPossible)
    }

    /// Does an action that has a secret, and answers with the state of its screen.
    private func takeSecret(_ request: PageRequest<Window>) async -> PageAnswer {
        guard let bytes = try? await request.body.collect(upTo: SecretAction.byteLimit) else {
            return .text(.contentTooLarge, "That is longer than any secret.")
        }
        guard let action = SecretAction(bytes) else {
            return .text(.badRequest, "A screen and an action are wanted.")
        }
        guard let page = request.query["page"], let session = await sessions.session(String(page)) else {
            return .unknownPage
        }
        guard let state = await session.take(action) else {
            return .text(.badRequest, "The screen has no such action, or no secret is in it.")
        }
        return PageAnswer(status: .ok, type: "application/json", body: .bytes(state))
    }
}
