import GeminiServer
import HTTPTypes
import PeerKit
import Transport

/// Asks a simulated Gemini over HTTP, with words of its own.
struct RESTCaller {
    /// An answer whose body has been read.
    struct Answer {
        var status: Int
        var headers: HTTPFields
        var bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The body, which is JSON.
        func json() throws -> JSONValue { try JSONValue(json: bytes) }

        /// The message and the status of an error.
        func error() throws -> (status: String, message: String) {
            let error = try json()["error"]
            return (error?["status"]?.string ?? "", error?["message"]?.string ?? "")
        }

        /// The responses of a stream of events.
        ///
        /// - Precondition: The body has nothing but events of one line, which end as the service ends them.
        func events() throws -> [JSONValue] {
            var events: [JSONValue] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else {
                    throw NoEvent(text: String(decoding: rest, as: UTF8.self))
                }
                let line = rest[..<end.lowerBound]
                guard line.starts(with: Array("data: ".utf8)), !line.contains(UInt8(ascii: "\n")) else {
                    throw NoEvent(text: String(decoding: line, as: UTF8.self))
                }
                events.append(try JSONValue(json: Array(line.dropFirst(6))))
                rest = rest[end.upperBound...]
            }
            return events
        }
    }

    struct NoEvent: Error { var text: String }

    static let model = "gemini-2.5-flash"
    /// A prompt of one word.
    static let hello: JSONValue = ["contents": [["role": "user", "parts": [["text": "Hello"]]]]]

    let transport: any Transport
    var key: String? = GeminiWorld.key

    init(_ world: GeminiWorld, key: String? = GeminiWorld.key) {
        transport = world.transport
        self.key = key
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: [String: String] = [:],
        body: HTTPBody = .empty
    ) async throws -> Answer {
        let (head, chunks) = try await open(method, path, headers: headers, body: body)
        return Answer(
            status: head.status.code,
            headers: head.headerFields,
            bytes: try await chunks.collect(upTo: 10_000_000)
        )
    }

    /// Sends a request, and returns once its head is answered.
    func open(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: [String: String] = [:],
        body: HTTPBody = .empty
    ) async throws -> (head: HTTPResponse, body: HTTPBody) {
        var request = HTTPRequest(method: method, scheme: "https", authority: "gemini.test", path: path)
        if let key { request.headerFields.set("x-goog-api-key", key) }
        for (name, value) in headers { request.headerFields.set(name, value) }
        return try await transport.send(request, body: body, timeout: .seconds(3600))
    }

    /// Calls a method of the model.
    func call(_ method: String, _ body: JSONValue, model: String = RESTCaller.model) async throws -> Answer {
        try await send(.post, "/v1/models/\(model):\(method)", body: .bytes(body.json))
    }

    /// A prompt of parts, with further fields of the request.
    static func prompt(_ parts: [JSONValue], _ fields: [String: JSONValue] = [:]) -> JSONValue {
        var request = fields
        request["contents"] = [["role": "user", "parts": .array(parts)]]
        return .object(request)
    }
}

extension JSONValue {
    /// The value at a path of names and places, such as `candidates.0.content`.
    func at(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self as JSONValue?) { value, step in
            guard let place = Int(step) else { return value?[String(step)] }
            return value?.array.flatMap { $0.indices.contains(place) ? $0[place] : nil }
        }
    }

    /// The words of a response.
    var words: String {
        (at("candidates.0.content.parts")?.array ?? []).compactMap { $0["text"]?.string }.joined()
    }
}
