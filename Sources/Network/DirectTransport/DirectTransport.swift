public import HTTPTypes
import Synchronization
public import Transport

/// Calls servers in the same process, with no network between: nothing is delayed, lost or reordered.
///
/// Servers are found by authority, `host:port` in lower case; a missing port is 80, or 443 for `https` and
/// `wss`. TLS is not modelled. Datagrams are not offered: ``bind(_:)`` throws `addressUnavailable`.
/// The transport owns the tasks in which servers work; ``stop()`` or a listener's `stop()` ends them.
public final class DirectTransport: Transport, ServerHost {
    private let registry = Mutex(DirectRegistry())

    /// Makes a transport that reaches `servers`, keyed by authority (`host:port`).
    public init(_ servers: [String: any Server] = [:]) {
        for (authority, server) in servers {
            registry.withLock { $0.servers[Self.normalized(authority, scheme: nil)] = server }
        }
    }

    /// Ends all sessions and requests in progress, and returns when their tasks have ended.
    public func stop() async {
        await end { _ in true }
    }

    /// Returns when all sessions and requests that are in progress now have ended by themselves.
    public func drain() async {
        let tasks = registry.withLock { $0.tasks.sorted { $0.key < $1.key }.map(\.value.task) }
        for task in tasks { await task.value }
    }

    // MARK: HTTP

    /// Has the server of that authority answer.
    ///
    /// - Throws: `refused` for an unknown authority, `timedOut`, `protocolViolation` without authority,
    ///   `cancelled`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let (authority, server) = try server(for: request, operation: "send request")
        let arriving = body.readOnce
        let answer = try await ask(
            "send request",
            of: authority,
            for: request,
            within: limits.head
        ) { await Answer(server.respond(to: request, body: arriving)) }
        if request.method == .head { return (answer.head, .empty) }
        return (
            answer.head,
            answer.body.readOnce.limited(toChunksWithin: limits.progress, peer: request.loggedURL)
        )
    }

    // MARK: WebSocket

    /// Has the server of that authority decide about the handshake, and couples two ends in process.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let (authority, server) = try server(for: request, operation: "connect")
        let decision = try await ask("connect", of: authority, for: request, within: timeout) {
            await server.upgrade(request)
        }
        switch decision {
        case .refuse(let head, _):
            throw TransportError(
                .upgradeRefused,
                operation: "connect",
                peer: request.loggedURL,
                detail: "\(head.status)",
                status: head.status.code
            )
        case .accept(let serverLimits, let session):
            let pair = WebSocketPair(
                clientLimits: limits,
                serverLimits: serverLimits,
                peer: request.loggedURL
            )
            let serverEnd = pair.server
            start(for: authority) {
                await session(serverEnd)
                await serverEnd.close(.normal)
            }
            return pair.client
        }
    }

    // MARK: Datagrams

    /// Offers no datagrams.
    ///
    /// - Throws: `addressUnavailable`, always.
    public func bind(_ address: SocketAddress) async throws(TransportError) -> any DatagramSocket {
        throw TransportError(
            .addressUnavailable,
            operation: "bind",
            peer: address.description,
            detail: "direct calls carry no datagrams"
        )
    }

    // MARK: Hosting

    /// Makes a server reachable at an address; port 0 takes the next free one from 49152 on.
    public func listen(
        _ server: any Server,
        at address: SocketAddress
    ) async throws(TransportError) -> any Listener {
        let bound = registry.withLock { $0.claim(address, for: server) }
        guard let bound else {
            throw TransportError(
                .addressUnavailable,
                operation: "listen",
                peer: address.description,
                detail: "already taken"
            )
        }
        return DirectListener(address: bound, transport: self)
    }

    fileprivate func stopListening(at address: SocketAddress) async {
        let authority = Self.normalized(address.description, scheme: nil)
        registry.withLock { $0.servers[authority] = nil }
        await end { $0 == authority }
    }

    // MARK: Work

    private func server(
        for request: HTTPRequest,
        operation: String
    ) throws(TransportError) -> (authority: String, server: any Server) {
        guard let named = request.authority, !named.isEmpty else {
            throw TransportError(
                .protocolViolation,
                operation: operation,
                peer: request.loggedURL,
                detail: "no authority"
            )
        }
        let authority = Self.normalized(named, scheme: request.scheme)
        guard let server = registry.withLock({ $0.servers[authority] }) else {
            throw TransportError(
                .refused,
                operation: operation,
                peer: request.loggedURL,
                detail: "no server at \(authority)"
            )
        }
        return (authority, server)
    }

    /// Runs a server's work in a task of its own, as another machine would, and waits for its result only so long.
    private func ask<Value: Sendable>(
        _ operation: String,
        of authority: String,
        for request: HTTPRequest,
        within timeout: Duration,
        _ work: @escaping @Sendable () async -> Value
    ) async throws(TransportError) -> Value {
        let handover = Handover<Value>()
        let task = start(for: authority) { handover.give(await work()) }
        let timedOut = TransportError(
            .timedOut,
            operation: operation,
            peer: request.loggedURL,
            detail: "no answer within \(timeout)"
        )
        let cancelled = TransportError(.cancelled, operation: operation, peer: request.loggedURL)
        do throws(TransportError) {
            return try await withDeadline(timeout, failure: timedOut) { () async throws(TransportError) in
                guard let value = await handover.take() else { throw cancelled }
                return value
            }
        } catch {
            task.cancel()
            throw error
        }
    }

    @discardableResult
    private func start(
        for authority: String,
        _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        registry.withLock { registry in
            registry.nextTask += 1
            let id = registry.nextTask
            let task = Task {
                await work()
                self.registry.withLock { $0.tasks[id] = nil }
            }
            registry.tasks[id] = (authority, task)
            return task
        }
    }

    private func end(where matches: (String) -> Bool) async {
        let tasks = registry.withLock { registry in
            registry.tasks.sorted { $0.key < $1.key }.map(\.value).filter { matches($0.authority) }.map(
                \.task
            )
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private static func normalized(_ authority: String, scheme: String?) -> String {
        let lowercased = authority.lowercased()
        let afterHost = lowercased.lastIndex(of: "]").map { lowercased[$0...] } ?? lowercased[...]
        if afterHost.contains(":") { return lowercased }
        return lowercased + (scheme == "https" || scheme == "wss" ? ":443" : ":80")
    }

    /// A server's answer, named so that it can pass through generic code.
    private struct Answer: Sendable {
        let head: HTTPResponse
        let body: HTTPBody

        init(_ answer: (head: HTTPResponse, body: HTTPBody)) {
            head = answer.head
            body = answer.body
        }
    }
}

/// A server that a ``DirectTransport`` reaches.
private struct DirectListener: Listener {
    let address: SocketAddress
    let transport: DirectTransport

    func stop() async { await transport.stopListening(at: address) }
}

extension HTTPBody {
    /// The same body, of which each chunk must come within `timeout`.
    fileprivate func limited(toChunksWithin timeout: Duration, peer: String) -> HTTPBody {
        guard case .stream(let stream, let length) = self else { return self }
        let late = TransportError(
            .timedOut,
            operation: "read body",
            peer: peer,
            detail: "no chunk within \(timeout)"
        )
        let limited = ByteStream { () async throws(TransportError) in
            try await withDeadline(timeout, failure: late) { () async throws(TransportError) in
                // A fresh iterator goes on where the last one stopped: all share the stream's one source.
                var iterator = stream.makeAsyncIterator()
                return try await iterator.next()
            }
        }
        return .stream(limited, length: length)
    }
}
