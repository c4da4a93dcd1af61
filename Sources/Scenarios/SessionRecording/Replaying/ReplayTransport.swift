public import HTTPTypes
public import Services
import Synchronization
public import Transport

/// A transport that plays a recorded session: what came in then comes in now, at the same time after the start.
///
/// What the program asks finds its recorded answer by what it is: method, target and body, then header fields, and in order only among
/// equals. What it sends is compared with the recording; a difference is noted in the ``Comparison`` and the replay goes on.
public final class ReplayTransport: Transport {
    private let requests: [String: RecordedRequests<ReplayConnection>]
    private let all: [ReplayConnection]
    private let comparison: Comparison
    private let clock: SessionClock
    private let datagrams: (any DatagramReader)?
    /// Whether the file is of a version that has datagrams, and what its host said.
    private let hasDatagrams: Bool

    /// The most bytes of one outgoing body that are held for comparison.
    private static let bodyLimit = 1 << 30

    /// Prepares to play a session.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - clock: The times of the replay.
    ///   - comparison: What differences are added to.
    ///   - secrets: What the program sends in the place of the recorded secrets.
    ///   - datagrams: Knows what datagrams carry, as when the session was recorded.
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    public init(
        _ session: SessionReader,
        clock: SessionClock,
        comparison: Comparison,
        secrets: [Secret] = [],
        datagrams: (any DatagramReader)? = nil
    ) throws(SessionError) {
        let mask = session.mask(of: secrets)
        var byKind: [String: [ReplayConnection]] = [:]
        var all: [ReplayConnection] = []
        for (number, (kind, messages)) in try session.checkedConnections().enumerated() {
            let connection = ReplayConnection(
                number: number,
                kind: kind,
                messages: messages,
                clock: clock,
                comparison: comparison,
                mask: mask
            )
            byKind[kind, default: []].append(connection)
            all.append(connection)
        }
        requests = byKind.mapValues { RecordedRequests($0, mask: mask) }
        self.all = all
        self.comparison = comparison
        self.clock = clock
        self.datagrams = datagrams
        hasDatagrams = session.version >= 3
    }

    /// Compares the request with the recorded one and gives the recorded answer.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let head = Redaction.text(of: request)
        let sent: [UInt8]
        do throws(TransportError) { sent = try await body.collect(upTo: Self.bodyLimit) } catch {
            // It was asked nevertheless.
            _ = try await next("http", head)
            throw error
        }
        let connection = try await next("http", head, body: sent)
        connection.compareBody(sent)
        let answered = try await connection.receive()
        let answer = ByteStream { () async throws(TransportError) -> [UInt8]? in
            let message = try await connection.receive()
            return message.kind == .end ? nil : message.bytes
        }
        return (Self.response(from: answered), .stream(answer, length: nil))
    }

    /// Opens the next recorded WebSocket.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let connection = try await next("websocket", Redaction.text(of: request))
        let answer = String(decoding: try await connection.receive().bytes, as: UTF8.self)
        let subprotocol = answer.split(separator: " ").dropFirst().first.map { String($0) }
        return ReplayWebSocket(connection: connection, subprotocol: subprotocol)
    }

    /// Binds the next recorded socket: nothing is sent, and what came in comes in again.
    ///
    /// - Throws: What binding has thrown, and `refused` where no further socket was bound.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        guard hasDatagrams, let datagrams else {
            throw TransportError(
                .addressUnavailable,
                operation: "bind",
                peer: "\(address)",
                detail: hasDatagrams
                    ? "the replay has no reader for datagrams: give it that of the recording"
                    : "sessions of this version hold no datagrams: record it again"
            )
        }
        let words = String(decoding: RecordingDatagramSocket.binding(address, options), as: UTF8.self)
        let connection = try await next(SessionFormat.datagramKind, words)
        let head = String(decoding: try await connection.receive().bytes, as: UTF8.self)
        // Every recording was checked for it.
        guard let local = Endpoint(head) else { throw Self.unreadable(head) }
        return ReplayDatagramSocket(connection, datagrams, localAddress: local)
    }

    /// Finds what was found when the session was recorded; in older sessions literal addresses alone.
    ///
    /// - Throws: `unreachable` for a name that was not found.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        if hasDatagrams {
            let answer = try await next(SessionFormat.lookUpKind, "\(address)").receive()
            guard let endpoints = RecordedHost.endpoints(answer.bytes) else {
                throw Self.unreadable("\(address)")
            }
            return endpoints
        }
        guard let endpoint = address.endpoint else {
            throw TransportError(
                .unreachable,
                operation: "resolve name",
                peer: "\(address)",
                detail: "sessions of this version hold no look-ups"
            )
        }
        return [endpoint]
    }

    /// The recorded host's interfaces; none in older sessions.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        guard hasDatagrams else { return [] }
        let answer = try await next(SessionFormat.interfacesKind, "interfaces").receive()
        guard let interfaces = RecordedHost.interfaces(answer.bytes) else {
            throw Self.unreadable("interfaces")
        }
        return interfaces
    }

    private static func unreadable(_ what: String) -> TransportError {
        TransportError(.reset, operation: "replay", peer: "session", detail: "unreadable answer: \(what)")
    }

    /// Notes what the recording has and the replay did not send.
    ///
    /// - Parameter end: The time up to which it had to, in nanoseconds since the start; `nil` for all.
    public func finish(until end: Int64? = nil) {
        for connection in all { connection.finish(until: end) }
    }

    /// The recording has nothing more: the caller waits until it is cancelled.
    static func waitUntilCancelled(peer: String) async throws(TransportError) {
        do { try await Task.sleep(for: .seconds(366 * 86_400)) } catch {
            throw TransportError(.cancelled, operation: "replay", peer: peer)
        }
    }

    /// The recorded connection for a request.
    ///
    /// Waits until it is cancelled where the recording was cut off before.
    ///
    /// - Throws: `refused` where the recording has none, which is a difference, too.
    private func next(
        _ kind: String,
        _ head: String,
        body: [UInt8] = []
    ) async throws(TransportError) -> ReplayConnection {
        guard let connection = requests[kind]?.take(head, body: body) else {
            let line = requests[kind]?.line(of: head) ?? String(head.prefix { $0 != "\n" })
            let wasAnswered = requests[kind]?.has(line) == true
            let next = requests[kind]?.next.map { ", but \($0)" } ?? ""
            let difference = Difference(
                nanoseconds: clock.nanoseconds,
                place: "connections of kind \(kind)",
                recorded: wasAnswered ? "no further one" : "none of \(line)\(next)",
                replayed: line
            )
            if !comparison.exceeds(difference) { try await Self.waitUntilCancelled(peer: line) }
            throw TransportError(
                .refused,
                operation: "replay",
                peer: "session",
                detail: wasAnswered
                    ? "\(line) was asked no more often in the recording"
                    : "\(line) is not in the recording: the program asks for something else than it did then"
            )
        }
        connection.compare(.head, Array(head.utf8))
        return connection
    }

    static func response(from message: RecordedMessage) -> HTTPResponse {
        let lines = String(decoding: message.bytes, as: UTF8.self).split(separator: "\n")
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields.append(HTTPField(name: name, value: String(parts[1].drop { $0 == " " })))
        }
        let code = lines.first.flatMap { Int($0) } ?? 500
        return HTTPResponse(
            status: .init(code: (100...999).contains(code) ? code : 500),
            headerFields: fields
        )
    }
}
