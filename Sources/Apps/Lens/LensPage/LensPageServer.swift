public import Files
public import HTTPTypes
public import Lens
internal import LensScreens
public import PageKit
internal import ScreenKit
public import Transport

/// Lens in a browser: the page, its socket, and the pictures that it shows.
///
/// A `Server`, so that any host serves it: one on real sockets for people, and a simulated one for tests.
/// Everything needs the `PageToken`; see ``address(at:)``. What the page and the server say to each other is in
/// `Documentation/LensPage.md`.
public final class LensPageServer: AddressedServer {
    private let server: PageServer<LensWindow>

    /// Creates the server of an app.
    ///
    /// - Parameters:
    ///   - app: What is shown.
    ///   - documents: Where the app keeps its photos.
    ///   - encoder: Makes the pictures of the preview; the same object as the app's for streaming, so that it works once.
    ///   - speech: The app's voice.
    ///   - hearing: The app's recognizer and microphone.
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public init(
        app: LensApp,
        documents: FileFolder,
        encoder: SharedFrameEncoder,
        speech: BrowserSpeech,
        hearing: BrowserHearing,
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) {
        let routes = LensRoutes(app: app, documents: documents, encoder: encoder)
        server = PageServer(
            .lens,
            token: token,
            hosts: hosts,
            speech: speech,
            hearing: hearing,
            routes: { await routes.answer($0) },
            window: { LensWindow(app.makeScreens()) }
        )
    }

    /// What is to be opened in a browser, with the token; for the user alone.
    public func address(at authority: String) -> String { server.address(at: authority) }

    /// Answers a request.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        await server.respond(to: request, body: body)
    }

    /// Accepts the socket of a page.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade { await server.upgrade(request) }
}

/// The screens of one tab.
@MainActor
final class LensWindow: PageWindow {
    let app: LensScreens
    let screens: [EncodedScreen]

    init(_ app: LensScreens) {
        self.app = app
        screens = app.encoded
    }

    func appear() { app.appear() }
    func disappear() { app.disappear() }
    func close() { app.chat.discardAttachment() }
}
