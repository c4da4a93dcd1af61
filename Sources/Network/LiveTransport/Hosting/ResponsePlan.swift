import HTTPTypes
import NIOHTTP1
import Transport

/// How one response is framed on the wire (RFC 9112 section 6).
struct ResponsePlan: Sendable {
    let body: HTTPBody
    /// Whether the answer leaves the connection to another request.
    let keepsAlive: Bool
    private let head: HTTPResponseHead
    private let isModern: Bool

    /// Plans the answer to a request.
    init(_ response: HTTPResponse, _ body: HTTPBody, to request: HTTPRequestHead) {
        let framing = ResponseFraming(
            response,
            body,
            to: HTTPRequest.Method(request.method.rawValue) ?? .get,
            allowsChunks: request.isModern
        )
        let status = framing.head.status
        self.body = framing.body
        keepsAlive = framing.keepsConnection
        isModern = request.isModern
        let phrase = status.reasonPhrase
        let known = HTTPResponseStatus(statusCode: status.code)
        let written =
            phrase.isEmpty || phrase == known.reasonPhrase
            ? known : .custom(code: UInt(status.code), reasonPhrase: phrase)
        head = HTTPResponseHead(
            version: .http1_1,
            status: written,
            headers: HTTPHeaders(framing.head.headerFields)
        )
    }

    /// The head, once it is known whether the connection serves another request after this one.
    func head(keepsAlive: Bool) -> HTTPResponseHead {
        var head = head
        if !keepsAlive {
            head.headers.add(name: "Connection", value: head.status.code == 426 ? "upgrade, close" : "close")
        } else if !isModern {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        return head
    }
}
