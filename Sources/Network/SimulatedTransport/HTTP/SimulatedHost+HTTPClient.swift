public import HTTPTypes
import Simulation
public import Transport

extension SimulatedHost {
    /// Sends one request, on a kept connection if there is one, and returns as soon as the response head is there.
    ///
    /// - Parameters:
    ///   - request: Must carry scheme, authority and path.
    ///   - body: Read by a task on this host's node while it is sent.
    ///   - limits: As `HTTPClient` says, in virtual time.
    /// - Throws: `refused`, `unreachable`, `timedOut`, `reset`, `protocolViolation`, `closed` when the node has
    ///   crashed, `cancelled`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let target = try Target(request, from: self, operation: Self.sending)
        return try await SafeRepeat.sending(request, body) { isSecond throws(TransportError) in
            try await attempt(request, body, limits, target, onKept: !isSecond)
        }
    }

    private static var sending: String { "send request" }

    /// - Parameter onKept: Whether a kept connection may be used.
    private func attempt(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ limits: HTTPLimits,
        _ target: Target,
        onKept: Bool
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let operation = Self.sending
        let origin = KeptConnections.Origin(
            isSecure: request.scheme == "https",
            name: target.name.lowercased(),
            port: target.port
        )
        if Task.isCancelled {
            throw TransportError(.cancelled, operation: operation, peer: target.peer, reach: .notSent)
        }
        let kept = onKept ? IdleConnection.take(of: self, origin) : nil
        let connection =
            if let kept {
                kept.connection
            } else {
                try await Dial.connect(
                    self,
                    to: target,
                    until: network.deadline(after: limits.connect.nanoseconds),
                    operation: operation
                )
            }
        let head = request.onTheWire(length: body.length)
        connection.sendControl(.request(head, .body(length: body.length)), from: .client)
        let progress = UploadProgress(connection, limits)
        let upload = startUpload(body, on: connection, peer: target.peer, progress)
        // Released without an answer, it abandons the request.
        let reader = BodyReader(
            connection,
            at: .client,
            peer: target.peer,
            timeout: max(0, limits.progress.nanoseconds),
            upload: upload,
            progress: progress
        )
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: operation, peer: target.peer, detail: detail, reach: .sent)
        }
        var received = await connection.receive(at: .client, until: progress.deadline)
        if kept?.awaitsBodyEnd == true, case .segment(.bodyEnd) = received {
            received = await connection.receive(at: .client, until: progress.deadline)
        }
        switch received {
        case .segment(.response(let response, let length)):
            if !head.headerFields.closesConnection, !response.headerFields.closesConnection {
                reader.keeps(at: origin)
            }
            if length != 0 { return (response, reader.body(length: length)) }
            reader.complete(awaitsBodyEnd: true)
            return (response, .empty)
        case .segment: throw failure(.protocolViolation, "something came before the response")
        case .ended: throw failure(.reset, "the connection ended before the response")
        case .failed(let cause): throw failure(cause.code, cause.detail)
        case .cancelled: throw failure(.cancelled)
        case .expired: throw failure(.timedOut, progress.missing)
        }
    }

    /// Sends the body while the response may already come; what fails in the body ends the request.
    private func startUpload(
        _ body: HTTPBody,
        on connection: Connection,
        peer: String,
        _ progress: UploadProgress
    ) -> Task<Void, Never>? {
        if body.length == 0, case .empty = body {
            connection.sendControl(.bodyEnd, from: .client)
            progress.ended()
            return nil
        }
        let writer = BodyWriter(connection: connection, side: .client, peer: peer, progress: progress)
        return node.asCurrent {
            Task(name: "\(name) uploads") {
                if case .failed(let error) = await writer.write(body) {
                    connection.abort(.client, error.code, error.detail)
                }
            }
        }
    }
}

extension HTTPRequest {
    /// As a server gets it: its scheme is one of HTTP's, and a body of known length has its length declared.
    func onTheWire(length: Int?) -> HTTPRequest {
        var request = self
        if scheme == "ws" { request.scheme = "http" }
        if scheme == "wss" { request.scheme = "https" }
        request.headerFields[.transferEncoding] = length == nil ? "chunked" : nil
        request.headerFields[.contentLength] = length.flatMap {
            $0 == 0 && !method.usuallyHasBody ? nil : "\($0)"
        }
        return request
    }
}

extension HTTPRequest.Method {
    /// RFC 9110 section 8.6: such methods declare also an empty body.
    fileprivate var usuallyHasBody: Bool { self == .post || self == .put || self == .patch }
}
