public import GeminiAPI
import GeminiServer
public import HTTPTypes
import PeerKit
public import Services
import Synchronization
public import Transport

/// Stands between a client and a real Gemini: passes on what both say, and writes the answers down as a script.
///
/// With the script, `GeminiServer` gives the same answers to the same prompts, without the service.
///
/// **Models.** Nothing: every answer is the service's own. A client shows a key of its own, so that nobody else on the machine
/// uses up the real one, which is put in its place. Where the service repeats the real one, in bodies, header fields, messages or
/// reasons of closes, the client sees asterisks, and so does the script; unless the service spreads it over two messages.
///
/// **Writes down.** Of REST, whole answers of `generateContent` and `streamGenerateContent`: words, thoughts, calls of functions,
/// how they end, blocked prompts, and refusals with 400 to 599. Of Live sessions, answers to turns in writing and to results of
/// functions: words, or what is spoken in writing, thoughts and calls. An answer that was cut off or interrupted is left out.
///
/// **Leaves out.** Pace; sound and pictures of answers; candidates beyond the first; answers to speech, whose words a script does not
/// know; anything about files beyond that there was one; which model was asked; details of errors but the time to wait; which calls
/// came in one message, their identifiers in Live sessions, and what a turn tells beside its words. Ephemeral tokens do not open Live
/// sessions here: a token can be created through the recorder, and its method, `BidiGenerateContentConstrained`, is answered with
/// 404; use the recorder's own key instead. With a function that does not block (`NON_BLOCKING`) the model goes on speaking after the
/// call: where the result is brought before that turn has ended, the rest of the turn is written down as the answer to the result,
/// which is wrong; check such a script by hand.
///
/// **How it was compared.** In tests with the simulated service on the other side; with the real one not at all.
public struct GeminiRecorder: Server {
    /// Bytes of a request to generate, and of an answer that is written down.
    private static let mostBytes = 32 * 1024 * 1024

    private let upstream: GeminiEndpoint
    private let transport: any Transport
    private let key: Secret
    private let clientKey: Secret
    private let script: RecordedScript
    private let uploads = UploadPlaces()
    private let noteAnswer: @Sendable () async -> Void

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - upstream: The real service; its version is the one that the client asks for.
    ///   - transport: Reaches it.
    ///   - key: Is shown to the real service.
    ///   - clientKey: Has to be shown by clients.
    ///   - script: Takes the answers.
    ///   - noteAnswer: Is called after each answer that was written down, before the client sees its end.
    public init(
        to upstream: GeminiEndpoint,
        over transport: any Transport,
        key: Secret,
        clientKey: Secret,
        into script: RecordedScript,
        noteAnswer: @escaping @Sendable () async -> Void = {}
    ) {
        self.upstream = upstream
        self.transport = transport
        self.key = key
        self.clientKey = clientKey
        self.script = script
        self.noteAnswer = noteAnswer
    }

    // MARK: REST

    /// Passes a request on, and its answer back.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        // The address of an upload is its own permission: clients send no key with its bytes.
        guard isAllowed(request) || uploads.contains(request.path) else {
            return Self.refusal(400, Self.unknownKey)
        }
        do throws(TransportError) {
            let prompt: Prompt?
            do throws(TransportError) { prompt = try await Prompt(request, body) } catch {
                guard error.code == .tooLarge else { throw error }
                return Self.refusal(
                    413,
                    "The recorder takes prompts of \(Self.mostBytes) bytes. Upload large media."
                )
            }
            let (head, answer) = try await pass(request, prompt.map { .bytes($0.body) } ?? body)
            return (head, recording(masking(answer), of: prompt?.prompt, head))
        } catch {
            let text = "The recorder cannot pass the request on to \(upstream.authority): \(error.code)."
            return Self.refusal(502, key.redacted(from: text))
        }
    }

    private static let unknownKey =
        "API key not valid. The recorder takes the key that it has printed, not the one of the service."

    /// A request to generate, which was read whole.
    private struct Prompt {
        let body: [UInt8]
        let prompt: RecordedPrompt?

        /// - Returns: `nil` for any other request.
        init?(_ request: HTTPRequest, _ body: HTTPBody) async throws(TransportError) {
            let path = RequestTarget(request).path
            guard request.method == .post,
                path.hasSuffix(":generateContent") || path.hasSuffix(":streamGenerateContent")
            else { return nil }
            self.body = try await body.collect(upTo: GeminiRecorder.mostBytes)
            let contents = (try? JSONValue(json: self.body))?["contents"]
            prompt = (contents?.array?.last ?? contents).flatMap { RecordedPrompt($0) }
        }
    }

    private func pass(
        _ request: HTTPRequest,
        _ body: HTTPBody
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let own = request.scheme.map { "\($0)://\(request.authority ?? "")" } ?? ""
        let (scheme, authority) = (upstream.isSecure ? "https" : "http", upstream.authority)
        var outgoing = request
        outgoing.scheme = scheme
        outgoing.authority = authority
        outgoing.path = Self.withoutKey(request.path ?? "/")
        outgoing.headerFields = Self.passed(request.headerFields)
        outgoing.headerFields[.acceptEncoding] = "identity"
        outgoing.headerFields[.authorization] = nil
        outgoing.headerFields[Self.keyName] = key.reveal()
        let (answer, answerBody) = try await transport.send(outgoing, body: body, timeout: .seconds(600))
        var head = answer
        let mask = KeyMask(key)
        head.headerFields = HTTPFields(
            Self.passed(answer.headerFields).map { HTTPField(name: $0.name, value: mask.masked($0.value)) }
        )
        // Uploads go on at an address that the service gives, which has to be the recorder's.
        for name in [Self.uploadName, .location] {
            guard let place = head.headerFields[name], let rest = place.dropping("\(scheme)://\(authority)")
            else { continue }
            head.headerFields[name] = own + rest
            uploads.add(String(rest))
        }
        return (head, answerBody)
    }

    /// The same body without the real key.
    private func masking(_ body: HTTPBody) -> HTTPBody {
        guard body.length != 0 else { return body }
        let mask = MaskedChunks(KeyMask(key))
        let stream = ByteStream.opening { () async throws(TransportError) in
            let reader = ChunkReader(try await body.chunks())
            return ByteStream { () async throws(TransportError) in try await mask.next(of: reader) }
        }
        return .stream(stream, length: body.length)
    }

    /// The same body, which is written down once it has been read whole.
    private func recording(_ body: HTTPBody, of prompt: RecordedPrompt?, _ head: HTTPResponse) -> HTTPBody {
        guard let prompt else { return body }
        let isEvents = head.headerFields[.contentType]?.hasPrefix("text/event-stream") ?? false
        let status = head.status.code
        let tap = Tap(limit: Self.mostBytes)
        let stream = ByteStream.opening { () async throws(TransportError) in
            let reader = ChunkReader(try await body.chunks())
            return ByteStream { () async throws(TransportError) in
                let chunk = try await reader.next()
                if let chunk { tap.take(chunk) }
                // A client that knows the length asks for nothing more.
                if let bytes = tap.whole, chunk == nil ? body.length == nil : bytes.count == body.length,
                    let reply = RecordedAnswer.reply(of: bytes, isEventStream: isEvents, status: status)
                {
                    await note(prompt, reply)
                }
                return chunk
            }
        }
        return .stream(stream, length: body.length)
    }

    func note(_ prompt: RecordedPrompt, _ reply: GeminiReply) async {
        script.note(prompt, reply)
        await noteAnswer()
    }

    // MARK: Live

    /// Opens a session of the real service behind one of the client's.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        func refuse(_ status: Int, _ message: String) -> WebSocketUpgrade {
            let refusal = Self.refusal(status, message)
            return .refuse(refusal.head, refusal.body)
        }
        guard isAllowed(request) else { return refuse(400, Self.unknownKey) }
        guard let version = Self.liveVersion(RequestTarget(request).path) else {
            return refuse(404, "The recorder knows no such method.")
        }
        var endpoint = upstream
        endpoint.version = version
        let handshake = endpoint.handshake(key: key)
        let limits = WebSocketLimits()
        return .accept(limits) { client in
            let service: any WebSocket
            do throws(TransportError) {
                service = try await transport.connect(handshake, limits: limits, timeout: .seconds(30))
            } catch {
                let reason = "The recorder cannot reach \(upstream.authority): \(error.code)."
                return await client.close(WebSocketClose(code: 1011, reason: key.redacted(from: reason)))
            }
            await LiveRelay(client: client, service: service, key: key) { prompt, reply in
                await note(prompt, reply)
            }.run()
            await service.close(.abnormal)
        }
    }

    private static func liveVersion(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[0] == "ws" else { return nil }
        return ["v1", "v1beta", "v1alpha"].first {
            parts[1] == "google.ai.generativelanguage.\($0).GenerativeService.BidiGenerateContent"
        }
    }

    // MARK: Messages

    private func isAllowed(_ request: HTTPRequest) -> Bool {
        (request.headerFields[Self.keyName] ?? RequestTarget(request)["key"]) == clientKey.reveal()
    }

    // Constants that are valid names.
    private static let keyName = HTTPField.Name("x-goog-api-key") ?? .authorization
    private static let uploadName = HTTPField.Name("x-goog-upload-url") ?? .location

    /// What belongs to one connection (RFC 9110 section 7.6.1), or depends on it.
    private static let perConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "host", "content-length", "expect",
    ]

    private static func passed(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.filter { !perConnection.contains($0.name.canonicalName) })
    }

    /// Parameters that show who asks.
    private static let credentials: Set<String> = ["key", "access_token", "oauth_token"]

    private static func withoutKey(_ target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return target }
        let query = parts[1].split(separator: "&").filter { pair in
            let name = String(pair.prefix { $0 != "=" })
            return !credentials.contains(PercentCoding.decode(name[...]) ?? name)
        }.joined(separator: "&")
        return query.isEmpty ? String(parts[0]) : "\(parts[0])?\(query)"
    }

    private static func refusal(_ code: Int, _ message: String) -> (head: HTTPResponse, body: HTTPBody) {
        let error: JSONValue = [
            "code": .integer(code), "message": .string(message),
            "status": .string(GeminiFailure.status(of: code)),
        ]
        var head = HTTPResponse(status: .init(code: code))
        head.headerFields[.contentType] = "application/json; charset=UTF-8"
        return (head, .bytes((["error": error] as JSONValue).json))
    }
}

/// Addresses that the service has given for uploads, the newest.
private final class UploadPlaces: Sendable {
    private static let most = 1_000
    private let targets = Mutex<[String]>([])

    func add(_ target: String) {
        targets.withLock { targets in
            targets.append(target)
            if targets.count > Self.most { targets.removeFirst() }
        }
    }

    func contains(_ target: String?) -> Bool {
        guard let target else { return false }
        return targets.withLock { $0.contains(target) }
    }
}

/// The bytes that went by, as far as they are bounded.
private final class Tap: Sendable {
    private let limit: Int
    private let taken = Mutex<[UInt8]?>([])

    init(limit: Int) { self.limit = limit }

    /// All of them; `nil` when they were too many.
    var whole: [UInt8]? { taken.withLock { $0 } }

    func take(_ chunk: [UInt8]) {
        taken.withLock { taken in
            guard let count = taken?.count else { return }
            if count + chunk.count <= limit { taken?.append(contentsOf: chunk) } else { taken = nil }
        }
    }
}

/// Chunks that are taken out of a stream one after the other.
///
/// Sendable without a lock by the contract of `ByteStream`: one reader at a time asks for the next chunk.
private final class ChunkReader: @unchecked Sendable {
    private var chunks: ByteStream.Iterator

    init(_ stream: ByteStream) { chunks = stream.makeAsyncIterator() }

    func next() async throws(TransportError) -> [UInt8]? { try await chunks.next() }
}

/// Chunks without a key.
///
/// Sendable without a lock for the same reason.
private final class MaskedChunks: @unchecked Sendable {
    private var mask: KeyMask

    init(_ mask: KeyMask) { self.mask = mask }

    func next(of reader: ChunkReader) async throws(TransportError) -> [UInt8]? {
        while let chunk = try await reader.next() {
            let masked = mask.take(chunk)
            if !masked.isEmpty { return masked }
        }
        let rest = mask.end()
        return rest.isEmpty ? nil : rest
    }
}

extension String {
    /// What follows a beginning; `nil` when it begins otherwise.
    fileprivate func dropping(_ beginning: String) -> Substring? {
        hasPrefix(beginning) ? dropFirst(beginning.count) : nil
    }
}
