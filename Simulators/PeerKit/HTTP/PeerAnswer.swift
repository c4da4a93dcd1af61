public import HTTPTypes
public import Transport

/// An answer on its way to becoming a response.
public struct PeerAnswer: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields; the length is added at the end.
    public var headers: HTTPFields
    /// The body.
    public var body: HTTPBody

    /// Makes an answer.
    public init(status: Int, headers: HTTPFields = [:], body: HTTPBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON document.
    public static func json(_ value: JSONValue, status: Int = 200) -> PeerAnswer {
        json(value.json, status: status)
    }

    /// A JSON document that is written already.
    package static func json(_ document: [UInt8], status: Int = 200) -> PeerAnswer {
        PeerAnswer(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: .bytes(document)
        )
    }

    /// What proxies say when the service behind them fails; never JSON.
    public static func page(status: Int) -> PeerAnswer {
        let title = "\(status) \(HTTPResponse.Status(code: status).reasonPhrase)"
        return PeerAnswer(
            status: status,
            headers: [.contentType: "text/html"],
            body: .text(
                "<html><head><title>\(title)</title></head><body><center><h1>\(title)</h1></center></body></html>"
            )
        )
    }

    /// Head and body, with the length where it is known.
    public var response: (head: HTTPResponse, body: HTTPBody) {
        var head = HTTPResponse(status: .init(code: status), headerFields: headers)
        if head.headerFields[.contentLength] == nil, status != 304, let length = body.length {
            head.headerFields[.contentLength] = String(length)
        }
        return (head, body)
    }

    /// The same answer to a request that wants the head only.
    public func withoutBody() -> PeerAnswer {
        var bare = self
        if bare.headers[.contentLength] == nil, let length = body.length {
            bare.headers[.contentLength] = String(length)
        }
        bare.body = .empty
        return bare
    }

    /// The same head, with a body that breaks before its first byte.
    public func brokenInBody() -> PeerAnswer { broken(afterShare: 0) }

    /// The same head, with a body that breaks after a share of its bytes, from 0 to 1.
    public func broken(afterShare share: Double) -> PeerAnswer {
        var broken = self
        let length = max(1, body.length ?? 1)
        broken.headers[.contentLength] = String(length)
        let cut = CutBody(body, after: Int(Double(length) * share))
        let stream = ByteStream { () async throws(TransportError) in try await cut.next() }
        broken.body = .stream(stream, length: length)
        return broken
    }
}

/// A body that breaks after some of its bytes.
private final class CutBody: @unchecked Sendable {
    // Invariant that makes this Sendable: one reader at a time asks for the next chunk, as `ByteStream` has it.
    private let body: HTTPBody
    private var left: Int
    private var chunks: ByteStream.Iterator?

    init(_ body: HTTPBody, after count: Int) {
        self.body = body
        left = count
    }

    func next() async throws(TransportError) -> [UInt8] {
        if chunks == nil { chunks = try await body.chunks().makeAsyncIterator() }
        guard left > 0, let chunk = try await chunks?.next()?.prefix(left) else {
            throw TransportError(.reset, operation: "send body", peer: "client", detail: "a fault")
        }
        left -= chunk.count
        return Array(chunk)
    }
}

extension HTTPFields {
    /// The value of a field that this package has no constant for.
    public func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    /// Sets a field whose name is known to be a valid token.
    public mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
