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
        // Interim answers are ours to send; a server that returns one as its answer is broken.
        let broken = (100..<200).contains(response.status.code)
        let status = broken ? .internalServerError : response.status
        let body = broken ? .empty : body
        var headers = HTTPHeaders(response.headerFields)
        let declared = headers["Content-Length"].first
        for name in ["Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Upgrade"] {
            if name == "Upgrade", status.code == 426 { continue }
            headers.remove(name: name)
        }
        // RFC 9110 section 6.6.1: a server with a clock sends the date; one that says it itself knows better.
        if !headers.contains(name: "Date") { headers.add(name: "Date", value: HTTPDate.now()) }
        var keepsAlive = mayKeepAlive
        var sent = body
        if status.code == 204 {
            sent = .empty
        } else if status.code == 304 || request.method == .HEAD {
            // The length is that of the body that GET would get.
            let length = body.length == 0 ? declared : body.length.map { "\($0)" }
            if let length { headers.add(name: "Content-Length", value: length) }
            sent = .empty
        } else if let length = body.length {
            headers.add(name: "Content-Length", value: "\(length)")
        } else if request.isModern {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        } else {
            // HTTP/1.0 has no chunks: the end of the connection ends the body.
            keepsAlive = false
        }
        if !keepsAlive {
            headers.add(name: "Connection", value: status.code == 426 ? "upgrade, close" : "close")
        } else if !request.isModern {
            headers.add(name: "Connection", value: "keep-alive")
        }
        self.body = sent
        self.keepsAlive = keepsAlive
        let phrase = status.reasonPhrase
        let known = HTTPResponseStatus(statusCode: status.code)
        let written =
            phrase.isEmpty || phrase == known.reasonPhrase
            ? known : .custom(code: UInt(status.code), reasonPhrase: phrase)
        head = HTTPResponseHead(version: .http1_1, status: written, headers: headers)
    }
}
