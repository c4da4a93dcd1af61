public import HTTPTypes
public import PeerKit
public import Transport

/// A simulated Gemini: the Live API over WebSocket, and words, files and models over HTTP.
///
/// **Models.** `/ws/google.ai.generativelanguage.{v1|v1beta|v1alpha}.GenerativeService.BidiGenerateContent`:
/// keys in header or query; setup first and once, read before any refusal; JSON in text or binary frames, with
/// names in both cases, checked against the API's fields; both base64 alphabets; pictures that must decode;
/// replies to words and speech, in writing or in sound that is as long as the words, and never to pictures alone; speech
/// told from silence by its loudness, marks of activity, transcripts, interruption and its absence; functions, their
/// answers and cancellation; changed instructions and tools; pictures in turns; usage that grows with the context, of which
/// one frame a second counts; resumption handles; goAway and the limits of connections, of video sessions and of open
/// sessions; the close codes and reasons of the service, cut at 123 bytes.
///
/// Over REST, `/{version}/models/{id}:generateContent`, `:streamGenerateContent` as events or as one array, and
/// `:countTokens`: every name checked, conversations, system instructions, pictures, functions and their results,
/// candidates, stop sequences, the limit of the answer, thoughts, JSON and enumerations by a schema, blocked
/// prompts, token counts. `/upload/{version}/files` and `/{version}/files`: resumable uploads, processing, expiry,
/// pages, and files in prompts for the key that has uploaded them. `/{version}/models` with pages. Errors in the
/// shape of `google.rpc.Status`. `/v1alpha/auth_tokens`, whose tokens open `BidiGenerateContentConstrained` by header or query:
/// their uses, both their times, and what they lay down of setups, all of it or some fields. `GET /__lenssim/journal`, which the service does not have, shows the newest
/// requests, Live sessions and messages of theirs.
///
/// **Does not model.** What is said in sound (a transcript tells how long it was), the size of the context of Live sessions
/// without compression, avatars, translation. Caches, batches, embeddings, quotas of its own, tools of the
/// service (search, code) beyond accepting them, safety settings beyond checking them, answers in pictures, answers in sound over
/// REST. Its words come from a ``GeminiBrain`` and
/// are not intelligent. Live sessions take JPEG only; REST takes PNG and WebP too, of which it reads the header, and
/// no HEIC. Sound, video and documents are counted by estimates of their length. Temperature, seeds and penalties
/// change nothing, nor do resolutions and offsets of media: tokens are counted by the rules of 2.5. Members of JSON
/// are in alphabetical order; patterns of schemas are not followed.
///
/// **Faults.** Fault points, which ``faults`` lists: plans of faults, swarms, worlds and tests arm them. Late pongs come
/// about when reading stops: the socket answers a ping once there is room for what was sent before it.
///
/// **How it was compared.** Not compared with the real service; Google's Python SDK 3.4.0, unmodified and over TLS, holds
/// sessions with it, lists its models, and has words, streams, chats, structured answers, calls of functions and
/// files from it. Messages, closes and order follow the
/// published API reference, Google's client libraries and public reports; texts of errors about wrong types and
/// values, a missing key, uploads, and the close after the video limit are not confirmed by any of them. In Live sessions,
/// neither are: how a token is refused, and whether a handle is taken from a client whose setup is locked; from which loudness and length on sound is speech, what usual times are, when a session says that it cannot
/// be gone on with, and how an answer to a function that nobody called is refused.
public final class GeminiServer: Server {
    private let settings: GeminiServerSettings
    private let script: GeminiScript
    private let inspectFrame: @Sendable ([UInt8]) throws -> FrameInspection
    private let book: SessionBook
    private let files: FileStore
    private let tokens = TokenStore()
    private let journal: Journal
    private let memory: RequestMemory
    /// Decodes a picture of any format that REST takes.
    private let inspectPicture: @Sendable ([UInt8]) throws -> FrameInspection
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
    ///     ends the session with 1007, and a request with 400.
    public init(
        _ settings: GeminiServerSettings,
        script: GeminiScript = GeminiScript(),
        inspectFrame: @escaping @Sendable ([UInt8]) throws -> FrameInspection
    ) {
        self.settings = settings
        book = SessionBook(recordMemory: settings.recordMemory, kept: settings.sessionsKept)
        self.script = script
        self.inspectFrame = inspectFrame
        inspectPicture = { bytes in try PictureHeader.inspection(of: bytes) ?? inspectFrame(bytes) }
        files = FileStore(settings, inspectFrame: inspectPicture)
        memory = RequestMemory(limit: settings.requestMemory)
        journal = Journal(keys: settings.keys.union(settings.expiredKeys))
    }

    /// What was received and said so far.
    public var record: GeminiRecord {
        var record = book.record
        record.exchanges = journal.exchanges
        return record
    }

    /// What is kept so that conversations can go on.
    public struct Held: Sendable, Hashable {
        /// Handles that are known.
        public var handles: Int
        /// Conversations that are open, or can be gone on with.
        public var conversations: Int
    }

    /// What is kept so that conversations can go on: bounded, however long they last.
    public var held: Held { book.held }

    /// Answers the REST side.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        // The journal is read without a trace, and through no fault.
        if request.method == .get, RequestTarget.path(of: request) == Journal.path {
            let judgement = Credentials(request, Route(request)).judged(by: settings)
            return (PeerAnswer.refusal(of: judgement) ?? .json(journal.json(book.sessions))).response
        }
        book.countRequest()
        let read = ReadBody(in: memory)
        let answer = await faults.answering { await self.answer(request, body, read) }
        journal.keep(request, read.json, status: answer.status)
        return answer.response
    }

    private func answer(_ request: HTTPRequest, _ body: HTTPBody, _ read: ReadBody) async -> PeerAnswer {
        let route = Route(request)
        guard let version = route.restVersion else {
            return PeerAnswer.notFound("No such path. Paths begin with /v1, /v1beta or /v1alpha.")
        }
        let base = "\(request.scheme ?? "https")://\(request.authority ?? "")"
        let uploads = UploadEndpoint(store: files, faults: faults, base: base, version: version, read: read)
        // The address of an upload is its credential: its bytes come without a key.
        if request.method == .post, route.isUpload, let id = route.query["upload_id"] {
            return await uploads.proceed(request, body, upload: id)
        }
        let credentials = Credentials(request, route)
        if let refusal = PeerAnswer.refusal(of: credentials.judged(by: settings)) { return refusal }
        let owner = credentials.owner
        if route.isUpload {
            guard request.method == .post else { return .notFound("No such method.") }
            return await uploads.start(request, body, owner: owner)
        }
        if route.components.count > 1, route.components[1] == "files" {
            do throws(GeminiFailure) {
                return try FilesEndpoint(store: files, owner: owner, base: base).answer(request, route)
            } catch {
                return error.answer
            }
        }
        if request.method == .post, route.isTokens {
            do throws(GeminiFailure) {
                return try await TokenEndpoint(store: tokens, read: read).answer(body)
            } catch {
                return error.answer
            }
        }
        if request.method == .post, route.components.count == 3, route.components[1] == "models" {
            return await generation(of: owner, read).answer(
                route.components[2],
                route,
                body,
                version: version
            )
        }
        return ModelDirectory(models: settings.models).answer(request, route, version: version)
    }

    /// Finds active files that were uploaded with the same key.
    private func file(of owner: String) -> @Sendable (String) throws(GeminiFailure) -> GeminiFile {
        { [files] uri throws(GeminiFailure) in try files.active(uri, of: owner) }
    }

    private func generation(of owner: String, _ read: ReadBody) -> GenerateEndpoint {
        GenerateEndpoint(
            settings: settings,
            script: script,
            reader: ContentReader(inspectFrame: inspectPicture, file: file(of: owner)),
            faults: faults,
            read: read
        )
    }

    /// Whether its brain may: the server itself keeps everything in memory, and what takes it longest is reading a large request
    /// and decoding a picture.
    public var mayBlock: Bool { script.brain.mayBlock }

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
        let caller: LiveConversation.Caller =
            credentials.token.map { .token($0) } ?? .key(credentials.judged(by: settings))
        return .accept(WebSocketLimits(messageBytes: settings.largestMessage)) { [self] socket in
            let conversation = LiveConversation(
                index: index,
                socket: socket,
                version: version,
                caller: caller,
                tokens: tokens,
                settings: settings,
                script: script,
                book: book,
                journal: journal,
                faults: faults,
                reader: ContentReader(
                    inspectFrame: inspectFrame,
                    file: file(of: credentials.owner),
                    inlineTypes: ["image/jpeg"]
                )
            )
            var session = GeminiRecord.Session(index: index, version: version, keyPlace: credentials.place)
            session.usesToken = credentials.token != nil
            book.begin(session)
            await conversation.run()
        }
    }
}
