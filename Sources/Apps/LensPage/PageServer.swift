public import Files
internal import Foundation
public import HTTPTypes
public import Lens
internal import LensScreens
internal import ScreenKit
internal import Services
public import Transport

/// Lens in a browser: the page, its socket, and the pictures that it shows.
///
/// A `Server`, so that any host serves it: one on real sockets for people, and a simulated one for tests.
/// Everything needs the ``PageToken``; see ``address(at:)``. What the page and the server say to each other is in
/// `Documentation/LensPage.md`.
public final class PageServer: Server {
    /// The names under which a browser of this machine finds it.
    public static let loopbackNames: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

    let app: LensApp
    let documents: FileFolder
    private let preview: PreviewStream
    private let entrance: PageEntrance
    private let sessions: PageSessions
    private let tabs = PageSeats(PageEntrance.tabLimit)
    /// For pages that show the camera at once.
    private let previews = PageSeats(8)
    /// For files that are being sent.
    let readers = PageSeats(32)

    /// For pictures and videos that are being received.
    private let uploads = PageSeats(4)
    /// Videos take long: pictures do not wait behind them.
    private let videoUploads = PageSeats(2)

    /// The most bytes of a picture that is attached to a message.
    static let pictureLimit = 8 * 1024 * 1024
    /// How long a picture may take to come.
    private static let picturePatience = Duration.seconds(120)
    /// How long a video may take to come.
    private static let videoPatience = Duration.seconds(600)
    /// The most bytes of a key.
    private static let keyLimit = 4096

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
        hosts: Set<String> = PageServer.loopbackNames
    ) {
        self.app = app
        self.documents = documents
        preview = PreviewStream(latestFrame: { await app.camera.latestFrame() }, encoder: encoder)
        entrance = PageEntrance(token: token, hosts: hosts, page: PageAssets.page)
        sessions = PageSessions(app, speech: speech, hearing: hearing)
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
        guard let seat = tabs.take() else { return PageAnswer.tooManyTabs.refusal }
        return .accept(PageEntrance.socketLimits) { [sessions] socket in
            await Self.converse(socket, sessions)
            seat.leave()
        }
    }

    @MainActor
    private static func converse(_ socket: any WebSocket, _ sessions: PageSessions) async {
        guard let hello = await PageMessage.hello(from: socket) else { return }
        let (session, resumed) = sessions.open(hello.page)
        await session.serve(socket, hello, resumed: resumed)
        sessions.trim()
    }

    // MARK: Requests

    private func answer(_ request: HTTPRequest, _ body: HTTPBody) async -> PageAnswer {
        if let answer = entrance.answer(to: request) { return answer }
        let (path, query) = request.pathAndQuery
        if request.method == .post, path == "/key" { return await keep(body, query["page"]) }
        if request.method == .post, path == "/camera" { return await setUpCamera(body, query["page"]) }
        if request.method == .post, path == "/network" { return await showCode(body, query["page"]) }
        if request.method == .post, path == "/attachments" {
            return await attach(body, query["page"], isVideo: Self.isVideo(request))
        }
        guard request.isReading else { return .notPossible }
        if path == "/socket" { return PageEntrance.wordOnSocket(hasRoom: tabs.hasRoom) }
        if let answer = await code(path, query["page"]) { return answer }
        return path == "/frames" ? frames() : await picture(path, at: query["at"]) ?? .notFound
    }

    /// Keeps the key that was typed on a page.
    private func keep(_ body: HTTPBody, _ page: Substring?) async -> PageAnswer {
        guard let bytes = try? await body.collect(upTo: Self.keyLimit),
            let key = String(validating: bytes, as: UTF8.self)
        else { return .text(.contentTooLarge, "No key is as long as that.") }
        guard let page, let session = await sessions.session(String(page)) else { return Self.unknownPage }
        guard let alert = await session.saveKey(key) else { return PageAnswer(status: .noContent) }
        return .text(
            HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            Self.words(alert)
        )
    }

    /// What a page sends to set a camera up.
    private struct CameraEntry: Decodable {
        var user: String
        var password: String
    }

    /// Sets up the camera that was picked on a page, and answers when it is connected or has failed.
    private func setUpCamera(_ body: HTTPBody, _ page: Substring?) async -> PageAnswer {
        guard let bytes = try? await body.collect(upTo: Self.keyLimit),
            let entry = try? JSONDecoder().decode(CameraEntry.self, from: Data(bytes))
        else { return .text(.badRequest, "A user and a password are wanted.") }
        guard let page, let session = await sessions.session(String(page)) else { return Self.unknownPage }
        guard await session.setUpCamera(user: entry.user, password: entry.password) else {
            return .text(.conflict, "No camera is picked any more. Pick it again.")
        }
        return PageAnswer(status: .noContent)
    }

    /// What a page sends to show a Wi-Fi network to a new camera.
    private struct NetworkEntry: Decodable {
        var network: String
        var password: String
    }

    /// Shows codes for a Wi-Fi network on a page.
    private func showCode(_ body: HTTPBody, _ page: Substring?) async -> PageAnswer {
        guard let bytes = try? await body.collect(upTo: Self.keyLimit),
            let entry = try? JSONDecoder().decode(NetworkEntry.self, from: Data(bytes))
        else { return .text(.badRequest, "The name of a network and its password are wanted.") }
        guard let page, let session = await sessions.session(String(page)) else { return Self.unknownPage }
        guard await session.showCode(network: entry.network, password: entry.password) else {
            return .text(.conflict, "No label of a camera was read. Begin again.")
        }
        return PageAnswer(status: .noContent)
    }

    /// A code that the page itself shows, `/codes/<which>/<number>`: it says a password, so that no cache may keep it, and no other page
    /// gets it.
    private func code(_ path: Substring, _ page: Substring?) async -> PageAnswer? {
        let parts = path.split(separator: "/")
        guard parts.count == 3, parts[0] == "codes", let codes = Int(parts[1]), let number = Int(parts[2]),
            let page, let session = await sessions.session(String(page)),
            let picture = await session.code(number, of: codes)
        else { return nil }
        // Without a field of its own the answer is not to be stored.
        return PageAnswer(status: .ok, type: "image/png", body: .bytes(picture))
    }

    /// Whether a request says that it has a movie.
    private static func isVideo(_ request: HTTPRequest) -> Bool {
        request.headerFields[.contentType]?.lowercased().hasPrefix("video/") == true
    }

    /// Attaches a picture or video to the next message of a page.
    private func attach(_ body: HTTPBody, _ page: Substring?, isVideo: Bool) async -> PageAnswer {
        guard let seat = (isVideo ? videoUploads : uploads).take() else {
            return .text(.serviceUnavailable, "Too many files are being sent.")
        }
        defer { seat.leave() }
        guard let page, let session = await sessions.session(String(page)) else { return Self.unknownPage }
        if isVideo { return await attachVideo(body, to: session) }
        guard let file = try? await body.collect(upTo: Self.pictureLimit, within: Self.picturePatience) else {
            return .text(.contentTooLarge, "The picture is too large, or did not come whole.")
        }
        guard let alert = await session.attach(file) else { return PageAnswer(status: .noContent) }
        return .text(.unprocessableContent, Self.words(alert))
    }

    /// Attaches a video, which goes to the disk as it comes.
    private func attachVideo(_ body: HTTPBody, to session: PageSession) async -> PageAnswer {
        guard (body.length ?? 0) <= ChatClips.byteLimit else {
            return .text(.contentTooLarge, "The video is too large.")
        }
        do throws(TransportError) {
            let alert = try await finishing(within: Self.videoPatience, "read body", of: "page") {
                () async throws(TransportError) in
                await session.attachVideo(try await body.chunks())
            }
            guard let alert else { return PageAnswer(status: .noContent) }
            return .text(.unprocessableContent, Self.words(alert))
        } catch {
            return .text(.contentTooLarge, "The video did not come whole.")
        }
    }

    /// A picture that is attached on any page.
    func attachedFile(_ id: UUID) async -> [UInt8]? { await sessions.attachedFile(id) }

    private static let unknownPage = PageAnswer.text(.conflict, "The page is not connected.")

    private static func words(_ alert: ScreenAlert) -> String {
        [alert.text, alert.advice].compactMap(\.self).joined(separator: " ")
    }

    /// The live preview.
    private func frames() -> PageAnswer {
        guard let seat = previews.take() else {
            return .text(.serviceUnavailable, "Too many pages show the camera.")
        }
        return PageAnswer(
            status: .ok,
            type: PreviewStream.contentType,
            body: preview.body { seat.leave() }
        )
    }
}
