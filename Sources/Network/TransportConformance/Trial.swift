import Conformance
import HTTPTypes
import TestSupport
import Transport

/// What a case does with the transport on trial.
struct Trial: Sendable {
    let harness: TransportHarness

    var client: any Transport { harness.client }

    /// Runs a server while the body talks to it.
    func serving(
        _ server: ScriptedServer,
        _ body: (_ authority: String, any Listener) async throws -> Void
    ) async throws {
        let listener = try await harness.host.listen(server, at: harness.address)
        do {
            try await body("\(listener.address)", listener)
        } catch {
            await listener.stop()
            throw error
        }
        await listener.stop()
    }

    func connect(
        _ authority: String,
        _ path: String = "/",
        fields: HTTPFields = [:],
        limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration? = nil
    ) async throws(TransportError) -> any WebSocket {
        let request = HTTPRequest(
            method: .get,
            scheme: "ws",
            authority: authority,
            path: path,
            headerFields: fields
        )
        return try await client.connect(request, limits: limits, timeout: timeout ?? harness.patience)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ authority: String,
        _ path: String = "/",
        body: HTTPBody = .empty,
        timeout: Duration? = nil
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
        return try await client.send(request, body: body, timeout: timeout ?? harness.patience)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ authority: String,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let request = HTTPRequest(method: method, scheme: "http", authority: authority, path: "/")
        return try await client.send(request, body: body, limits: limits)
    }

    /// Limits of which none but those that are given ends a wait.
    func limits(progress: Duration? = nil, head: Duration? = nil) -> HTTPLimits {
        HTTPLimits(
            connect: harness.patience,
            progress: progress ?? harness.patience,
            head: head ?? harness.patience
        )
    }
}

/// Requires that an operation fails with a code; gives the error.
@discardableResult
func requireFailure(
    _ codes: Set<TransportError.Code>,
    _ requirement: String,
    _ operation: () async throws -> Void
) async throws -> TransportError {
    let error: TransportError = try await requireError(requirement, operation)
    try require(codes.contains(error.code), requirement, saw: error.description)
    return error
}
