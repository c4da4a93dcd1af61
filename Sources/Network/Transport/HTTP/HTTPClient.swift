public import HTTPTypes

/// Sends HTTP requests.
public protocol HTTPClient: Sendable {
    /// Sends one request and returns as soon as the response head is there; the body streams.
    ///
    /// Redirects are not followed. A status of 400 or above is an ordinary answer, not an error.
    /// Cancelling the task abandons the request. A request is sent again at most once, and only where that cannot
    /// repeat its effect: when its connection was reset before an answer, its method is idempotent (RFC 9110
    /// section 9.2.2) and its body can be read again.
    ///
    /// - Parameters:
    ///   - request: Must carry scheme (`http` or `https`), authority and path.
    ///   - body: Read while it is sent; a server that answers early may leave part of it unread.
    ///   - limits: How long the request may stand still, up to the end of the answer's body.
    /// - Throws: `refused`, `unreachable`, `timedOut`, `reset`, `certificateRejected`,
    ///   `protocolViolation`, `cancelled`.
    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody)
}

extension HTTPClient {
    /// Sends one request with the same limit for each step; see ``HTTPLimits``.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        timeout: Duration
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        try await send(request, body: body, limits: HTTPLimits(each: timeout))
    }
}
