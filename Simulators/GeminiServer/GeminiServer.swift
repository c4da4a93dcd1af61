public import HTTPTypes
public import PeerKit
public import Transport

/// A simulated Gemini: the Live API over WebSocket, and the model list over HTTP.
///
/// **Models.** `/ws/google.ai.generativelanguage.{v1|v1beta|v1alpha}.GenerativeService.BidiGenerateContent`:
/// keys in header or query; setup first and once, read before any refusal; JSON in text or binary frames, with
/// names in both cases, checked against the API's fields; both base64 alphabets; pictures that must decode;
/// replies to words and never to pictures alone; interruption; usage that grows with the context; resumption
/// handles; goAway and the limits of connections and of video sessions; the close codes and reasons of the
/// service, cut at 123 bytes. `GET /{version}/models` and `/{version}/models/{id}` with pages, and errors in
/// the shape of `google.rpc.Status`.
///
/// **Does not model.** Replies in sound (a session must ask for `TEXT`), transcripts, speech detection (sound
/// is taken and counted), tools, ephemeral tokens, `generateContent`, files, quotas of its own, the size of
/// the context without compression. Its words come from a ``GeminiBrain`` and are not intelligent. Pictures
/// other than JPEG are refused, though the service takes more.
///
/// **Faults.** Fault points, which ``faults`` lists: plans of faults, swarms, worlds and tests arm them. Late pongs come
/// about when reading stops: the socket answers a ping once there is room for what was sent before it.
///
/// **How it was compared.** Not compared with the real service; Google's Python SDK 3.4.0 holds sessions with it
/// over TLS, and lists its models, unmodified. Messages, closes and order follow the
/// published API reference, Google's client libraries and public reports; texts of errors about wrong types,
/// a missing key and the close after the video limit are not confirmed by any of them.
public final class GeminiServer: Server {
    private let settings: GeminiServerSettings
    private let script: GeminiScript
    private let inspectFrame: @Sendable ([UInt8]) throws -> FrameInspection
    private let book = SessionBook()
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { GeminiFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(GeminiServer.faultPoints)

    /// Makes a server without sessions.
    ///
    /// - Parameters:
    ///   - settings: Keys, models and limits.
    ///   - script: What it answers.
    ///   - inspectFrame: Decodes a JPEG and returns what it shows; throws for anything else. A frame that it throws for
    ///     ends the session with 1007.
    public init(
        _ settings: GeminiServerSettings,
        script: GeminiScript = GeminiScript(),
        inspectFrame: @escaping @Sendable ([UInt8]) throws -> FrameInspection
    ) {
        self.settings = settings
        self.script = script
        self.inspectFrame = inspectFrame
    }

    /// What was received and said so far.
    public var record: GeminiRecord { book.record }

    /// Answers the REST side.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        book.countRequest()
        return await faults.answering { answer(request) }.response
    }

    private func answer(_ request: HTTPRequest) -> PeerAnswer {
        let route = Route(request)
        guard let version = route.restVersion else {
            return PeerAnswer.notFound("No such path. Paths begin with /v1, /v1beta or /v1alpha.")
        }
        let judgement = Credentials(request, route).judged(by: settings)
        if let refusal = PeerAnswer.refusal(of: judgement) { return refusal }
        return ModelDirectory(models: settings.models).answer(request, route, version: version)
    }

    /// Accepts every handshake on the Live path: refusals follow as close frames, as the service sends them.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        let index = book.countHandshake()
        if let status = faults.strike(GeminiFaultPoints.handshake)?.integer("status") {
            let refusal = PeerAnswer.failure(status, "UNAVAILABLE", LiveRefusal.unavailable.close.reason)
                .response
            return .refuse(refusal.head, refusal.body)
        }
        let route = Route(request)
        guard let version = route.liveVersion else {
            let refusal = PeerAnswer.notFound("No such WebSocket method.").response
            return .refuse(refusal.head, refusal.body)
        }
        let credentials = Credentials(request, route)
        let key = credentials.judged(by: settings)
        return .accept(WebSocketLimits(messageBytes: settings.largestMessage)) { [self] socket in
            let conversation = LiveConversation(
                index: index,
                socket: socket,
                version: version,
                key: key,
                settings: settings,
                script: script,
                book: book,
                faults: faults,
                inspectFrame: inspectFrame
            )
            let session = GeminiRecord.Session(index: index, version: version, keyPlace: credentials.place)
            book.begin(session)
            await conversation.run()
        }
    }
}
