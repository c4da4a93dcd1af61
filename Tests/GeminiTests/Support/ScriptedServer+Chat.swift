import AppKernel
import GeminiAPI
import GeminiREST
import HTTPTypes
import Services
import TestSupport
import Transport

/// A service of Gemini's REST interface that a test makes up.
struct ScriptedChat: Sendable {
    static let key = "sesame-42"

    /// What it was asked, in order.
    let requests = Box<[(head: HTTPRequest, body: [UInt8])]>([])
    /// What it answers; the number counts requests from 0.
    let answer: @Sendable (Int, HTTPRequest, [UInt8]) async -> ScriptedServer.Answer

    init(_ answer: @escaping @Sendable (Int, HTTPRequest, [UInt8]) async -> ScriptedServer.Answer) {
        self.answer = answer
    }

    /// Answers every request with 200 and one document.
    init(document: String) {
        self.init { _, _, _ in Self.ok(.text(document)) }
    }

    /// Answers every request with 200 and a stream of these chunks.
    init(chunks: [[UInt8]]) {
        self.init { _, _, _ in Self.ok(Self.body(chunks), type: "text/event-stream") }
    }

    var server: ScriptedServer {
        let (requests, answer) = (requests, answer)
        return ScriptedServer(answer: { request, body in
            let bytes = (try? await body.collect(upTo: 64 << 20)) ?? []
            let number = requests.value.count
            requests.append((request, bytes))
            return await answer(number, request, bytes)
        })
    }

    /// A client of it on a simulated network.
    ///
    /// - Precondition: In a simulation.
    func model(options: GeminiRESTOptions = GeminiRESTOptions()) async throws(TransportError)
        -> GeminiChatModel
    {
        Self.model(try await GeminiWorld.transport(to: server, port: 80), options: options)
    }

    static func model(
        _ client: any HTTPClient,
        authority: String = "gemini.test",
        options: GeminiRESTOptions = GeminiRESTOptions()
    ) -> GeminiChatModel {
        GeminiChatModel(
            client: client,
            endpoint: GeminiEndpoint(authority: authority, isSecure: false),
            options: options
        ) { () throws(SecretStoreError) in Secret(key) }
    }

    // MARK: Answers

    static func ok(_ body: HTTPBody, type: String = "application/json") -> ScriptedServer.Answer {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentType] = type
        return (head, body)
    }

    static func refusal(
        _ status: Int,
        _ body: String = "",
        _ fields: HTTPFields = [:]
    ) -> ScriptedServer.Answer {
        (HTTPResponse(status: .init(code: status), headerFields: fields), .text(body))
    }

    static func error(_ status: Int, _ name: String, _ message: String, details: String = "") -> String {
        #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(name)","details":[\#(details)]}}"#
    }

    /// A document of the service with a text.
    static func piece(_ text: String, finish: String? = nil) -> String {
        let end = finish.map { #","finishReason":"\#($0)""# } ?? ""
        return
            #"{"candidates":[{"content":{"parts":[{"text":"\#(text)"}],"role":"model"}\#(end),"index":0}]}"#
    }

    /// An event stream of documents.
    static func events(_ documents: [String], lineEnd: String = "\r\n") -> [UInt8] {
        Array(documents.map { "data: \($0)\(lineEnd)\(lineEnd)" }.joined().utf8)
    }

    /// A body of these chunks.
    static func body(_ chunks: [[UInt8]], then end: TransportError? = nil) -> HTTPBody {
        let left = Box(chunks[...])
        let stream = ByteStream { () async throws(TransportError) in
            let rest = left.value
            guard let first = rest.first else {
                if let end { throw end }
                return nil
            }
            left.set(rest.dropFirst())
            return first
        }
        return .stream(stream, length: nil)
    }
}

extension ChatStream {
    /// What comes, up to the end or the error.
    func all() async -> (events: [ChatEvent], error: ChatModelError?) {
        var events: [ChatEvent] = []
        do throws(ChatModelError) {
            for try await event in self { events.append(event) }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }
}

extension [ChatEvent] {
    var texts: [String] { compactMap { if case .text(let text) = $0 { text } else { nil } } }
}
