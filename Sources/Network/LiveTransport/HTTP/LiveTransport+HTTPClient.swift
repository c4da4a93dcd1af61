import AsyncHTTPClient
public import HTTPTypes
import NIOCore
import NIOHTTP1
public import Transport

extension LiveTransport {
    /// Sends one request through the connection pool; see `Transport.HTTPClient`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        timeout: Duration
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let peer = request.loggedURL
        let outgoing = try outgoing(request, body)
        let late = TransportError(
            .timedOut,
            operation: "send request",
            peer: peer,
            detail: "no response head within \(timeout)"
        )
        do {
            let answer = try await withDeadline(timeout, late: late) {
                try await self.pool.execute(outgoing, deadline: .distantFuture)
            }
            let body = try await Self.body(of: answer, to: request.method, peer: peer, timeout: timeout)
            return (HTTPResponse(answer.status, answer.headers), body)
        } catch {
            if Task.isCancelled {
                throw TransportError(.cancelled, operation: "send request", peer: peer)
            }
            throw TransportError(cause: error, operation: "send request", peer: peer)
        }
    }

    private func outgoing(
        _ request: HTTPRequest,
        _ body: HTTPBody
    ) throws(TransportError) -> HTTPClientRequest {
        guard let scheme = request.scheme, scheme == "http" || scheme == "https",
            let authority = request.authority, !authority.isEmpty, let path = request.path,
            path.hasPrefix("/")
        else {
            throw TransportError(
                .protocolViolation,
                operation: "send request",
                peer: request.loggedURL,
                detail:
                    "a request needs the scheme http or https, an authority, and a path that begins with /"
            )
        }
        var outgoing = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = HTTPHeaders(request.headerFields)
        switch body {
        case .empty: break
        case .bytes(let bytes): outgoing.body = .bytes(ByteBuffer(bytes: bytes))
        case .stream(let stream, let length):
            outgoing.body = .stream(
                PacedBody(stream: stream, group: group),
                length: length.map { .known(Int64($0)) } ?? .unknown
            )
        }
        return outgoing
    }

    private static func body(
        of answer: HTTPClientResponse,
        to method: HTTPRequest.Method,
        peer: String,
        timeout: Duration
    ) async throws(TransportError) -> HTTPBody {
        let reader = ResponseReader(answer.body, peer: peer, timeout: timeout)
        let declared = answer.headers.first(name: "content-length").flatMap { Int($0) }
        if method == .head || answer.status == .noContent || answer.status == .notModified || declared == 0 {
            // Reading to the end lets the connection serve the next request.
            _ = try await reader.next()
            return .empty
        }
        let stream = ByteStream { () async throws(TransportError) in try await reader.next() }
        return .stream(stream, length: declared)
    }
}
