import HTTPTypes
import NIOHTTP1
import Transport

/// How one response is framed on the wire (RFC 9112 section 6).
struct ResponsePlan: Sendable {
    let head: HTTPResponseHead
    let body: HTTPBody
    let keepsAlive: Bool

    /// Plans the answer to a request.
    ///
    /// - Parameter mayKeepAlive: Whether the connection can serve another request after this one.
    init(_ response: HTTPResponse, _ body: HTTPBody, to request: HTTPRequestHead, mayKeepAlive: Bool) {
        let framing = ResponseFraming(
            response,
            body,
            to: HTTPRequest.Method(request.method.rawValue) ?? .get,
            allowsChunks: request.isModern
        )
        let status = framing.head.status
        var headers = HTTPHeaders(framing.head.headerFields)
        let keepsAlive = mayKeepAlive && framing.keepsConnection
        if !keepsAlive {
            headers.add(name: "Connection", value: status.code == 426 ? "upgrade, close" : "close")
        } else if !request.isModern {
            headers.add(name: "Connection", value: "keep-alive")
        }
        self.body = framing.body
        self.keepsAlive = keepsAlive
        let phrase = status.reasonPhrase
        let known = HTTPResponseStatus(statusCode: status.code)
        let written =
            phrase.isEmpty || phrase == known.reasonPhrase
            ? known : .custom(code: UInt(status.code), reasonPhrase: phrase)
        head = HTTPResponseHead(version: .http1_1, status: written, headers: headers)
    }
}
