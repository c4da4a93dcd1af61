public import HTTPTypes

/// Sends HTTP requests.
public protocol HTTPClient: Sendable {
    /// Sends one request and returns as soon as the response head is there; the body streams.
    ///
    /// Redirects are not followed. A status of 400 or above is an ordinary answer, not an error.
    /// Cancelling the task abandons the request.
    ///
    /// - Parameters:
    ///   - request: Must carry scheme (`http` or `https`), authority and path.
    ///   - body: Read while it is sent; a server that answers early may leave part of it unread.
    ///   - timeout: The longest wait for the connection and the response head together, and after that
    ///     for each next chunk of the body.
    /// - Throws: `refused`, `unreachable`, `timedOut`, `reset`, `certificateRejected`,
    ///   `protocolViolation`, `cancelled`.
    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        timeout: Duration
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody)
}
