public import HTTPTypes
public import Services
import Synchronization
public import Transport

/// A transport that plays a recorded session: what came in then comes in now, at the same time after the start.
///
/// The program must open connections in the recorded order of each kind. What it sends is compared with the
/// recording; a difference is noted in the ``Comparison`` and the replay goes on.
public final class ReplayTransport: Transport {
    private let connections: Mutex<[String: [ReplayConnection]]>
    private let all: [ReplayConnection]
    private let comparison: Comparison
    private let clock: SessionClock

    /// The most bytes of one outgoing body that are held for comparison.
    private static let bodyLimit = 1 << 30

    /// Prepares to play a session.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - clock: The times of the replay.
    ///   - comparison: What differences are added to.
    ///   - secrets: What the program sends in the place of the recorded secrets.
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    public init(
        _ session: SessionReader,
        clock: SessionClock,
        comparison: Comparison,
        secrets: [Secret] = []
    ) throws(SessionError) {
        let mask = SecretMask(secrets)
        var byKind: [String: [ReplayConnection]] = [:]
        var all: [ReplayConnection] = []
        for (number, kind) in try session.connections().enumerated() {
            let connection = ReplayConnection(
                number: number,
                kind: kind,
                messages: try session.messages(of: number),
                clock: clock,
                comparison: comparison,
                mask: mask
            )
            byKind[kind, default: []].append(connection)
            all.append(connection)
        }
        connections = Mutex(byKind)
        self.all = all
        self.comparison = comparison
        self.clock = clock
    }

    /// Compares the request with the recorded one and gives the recorded answer.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let connection = try await next("http", Redaction.text(of: request))
        let sent = try await body.collect(upTo: Self.bodyLimit)
        connection.compareBody(sent)
        let head = try await connection.receive()
        let answer = ByteStream { () async throws(TransportError) -> [UInt8]? in
            let message = try await connection.receive()
            return message.kind == .end ? nil : message.bytes
        }
        return (Self.response(from: head), .stream(answer, length: nil))
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

    /// Datagrams are not recorded.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        throw TransportError(
            .addressUnavailable,
            operation: "bind",
            peer: "\(address)",
            detail: "sessions hold no datagrams"
        )
    }

    /// Knows literal addresses alone, since look-ups are not recorded.
    ///
    /// - Throws: `unreachable` for a name.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        guard let endpoint = address.endpoint else {
            throw TransportError(
                .unreachable,
                operation: "resolve name",
                peer: "\(address)",
                detail: "sessions hold no look-ups"
            )
        }
        return [endpoint]
    }

    /// Interfaces are not recorded.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] { [] }

    /// Notes what the recording has and the replay did not send.
    public func finish() {
        for connection in all { connection.finish() }
    }

    private func next(_ kind: String, _ head: String) async throws(TransportError) -> ReplayConnection {
        let connection = connections.withLock { connections -> ReplayConnection? in
            guard connections[kind]?.isEmpty == false else { return nil }
            return connections[kind]?.removeFirst()
        }
        guard let connection else {
            comparison.differs(
                Difference(
                    nanoseconds: clock.nanoseconds,
                    place: "connections of kind \(kind)",
                    recorded: "no further one",
                    replayed: head
                )
            )
            throw TransportError(
                .refused,
                operation: "replay",
                peer: "session",
                detail: "not in the recording"
            )
        }
        connection.compare(.head, Array(head.utf8))
        return connection
    }

    private static func response(from message: RecordedMessage) -> HTTPResponse {
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
