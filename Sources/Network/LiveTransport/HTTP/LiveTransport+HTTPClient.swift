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
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        // The pool does not say whether a connection was kept or new.
        try await SafeRepeat.sending(request, body) { _ throws(TransportError) in
            try await attempt(request, body: body, limits)
        }
    }

    /// How many connections of the pool may turn out to be closed before a request fails.
    private static let mostClosedConnections = 8

    private func attempt(
        _ request: HTTPRequest,
        body: HTTPBody,
        _ limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let peer = request.loggedURL
        let origin = "\(request.scheme ?? ""):\(request.hostAndPort?.lowercased() ?? "")"
        let watch = UploadWatch(limits, hasBody: body.length != 0) { [multiplexing] in
            multiplexing.isPossible(origin)
        }
        let outgoing = try outgoing(request, body, watch)
        let answer: HTTPClientResponse
        do {
            answer = try await firstAnswer(to: outgoing, peer: peer, watch)
        } catch {
            watch.abandon()
            let ending: (code: TransportError.Code, detail: String)? =
                if Task.isCancelled {
                    (.cancelled, "")
                } else if TransportError.isClosedConnection(error)
                    || TransportError.isClosingConnection(error)
                {
                    // Closed by the peer: the pool reports a shutdown of its own as a different error.
                    (.reset, "the connection closed before it took the request")
                } else {
                    nil
                }
            guard let ending else {
                throw tls.explained(TransportError(cause: error, operation: "send request", peer: peer))
            }
            throw TransportError(
                ending.code,
                operation: "send request",
                peer: peer,
                detail: ending.detail,
                reach: watch.mayHaveLeft ? .sent : .notSent
            )
        }
        multiplexing.answered(origin, isShared: answer.version.major >= 2)
        let received = try await Self.body(
            of: answer,
            to: request.method,
            peer: peer,
            timeout: limits.progress
        )
        return (HTTPResponse(answer.status, answer.headers), received)
    }

    /// Has the pool execute the request, and cancels it when it stands still.
    private func firstAnswer(
        to request: HTTPClientRequest,
        peer: String,
        _ watch: UploadWatch
    ) async throws -> HTTPClientResponse {
        enum Outcome {
            case answer(HTTPClientResponse)
            case late(String)
        }
        var late: String?
        let answer = try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { .answer(try await self.execute(request, watch)) }
            group.addTask { .late(try await watch.expiry()) }
            defer { group.cancelAll() }
            switch try await group.next() {
            case .answer(let answer)?: return Optional(answer)
            case .late(let words)?: late = words
            case nil: break
            }
            return nil
        }
        if let answer { return answer }
        // Asked after the pool has given the request up.
        throw TransportError(
            .timedOut,
            operation: "send request",
            peer: peer,
            detail: late ?? "",
            reach: watch.mayHaveLeft ? .sent : .notSent
        )
    }

    /// Has the pool execute the request, once more each time that nothing of it left and the pool was the reason: an attempt
    /// to connect was too long for the pool, not for the request, or the connection that it had kept was closed.
    private func execute(
        _ request: HTTPClientRequest,
        _ watch: UploadWatch
    ) async throws -> HTTPClientResponse {
        var closedConnections = 0
        while true {
            do {
                return try await pool.execute(
                    request,
                    deadline: .distantFuture,
                    logger: ConnectionNotice.logger { watch.connects() }
                )
            } catch {
                try Task.checkCancellation()
                if TransportError.isLateConnection(error), watch.isConnecting { continue }
                // What is only read may be asked for again, whatever has left.
                let isUnsent =
                    TransportError.isClosingConnection(error)
                    || (TransportError.isClosedConnection(error)
                        && (watch.isConnecting || [.GET, .HEAD].contains(request.method)))
                guard isUnsent, closedConnections < Self.mostClosedConnections else { throw error }
                closedConnections += 1
            }
        }
    }

    private func outgoing(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ watch: UploadWatch
    ) throws(TransportError) -> HTTPClientRequest {
        guard let scheme = request.scheme, scheme == "http" || scheme == "https",
            let authority = request.hostAndPort, !authority.isEmpty, let path = request.path,
            path.hasPrefix("/")
        else {
            throw TransportError(
                .protocolViolation,
                operation: "send request",
                peer: request.loggedURL,
                detail:
                    "a request needs the scheme http or https, an authority, and a path that begins with /",
                reach: .notSent
            )
        }
        var outgoing = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = HTTPHeaders(request.headerFields)
        if case .empty = body { return outgoing }
        outgoing.body = .stream(
            PacedBody(body: body, loop: httpLoop, watch: watch),
            length: body.length.map { .known(Int64($0)) } ?? .unknown
        )
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
