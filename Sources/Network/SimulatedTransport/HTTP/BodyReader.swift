import Transport

/// The body that comes in on one side of a connection, and the right to it: a task that releases it before its end
/// abandons the request.
final class BodyReader: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private let connection: Connection
    private let side: Side
    private let peer: String
    /// The longest wait for a chunk, in nanoseconds.
    private let timeout: Int64
    private let upload: Task<Void, Never>?
    /// Tells whether all of the request was sent.
    private let progress: UploadProgress?
    /// Where the client keeps the connection when the answer has come; `nil` to close it.
    private var origin: KeptConnections.Origin?
    private let life: NetworkLife
    private var isComplete = false
    /// How many requests the server had answered on the connection when this one came.
    private let answers: Int

    /// Makes the reader of a server, or of a client, which sends the rest of its request meanwhile.
    init(
        _ connection: Connection,
        at side: Side,
        peer: String,
        timeout: Int64,
        upload: Task<Void, Never>? = nil,
        progress: UploadProgress? = nil
    ) {
        answers = connection[.server].answers
        self.connection = connection
        self.side = side
        self.peer = peer
        self.timeout = timeout
        self.upload = upload
        self.progress = progress
        life = connection.network.life
    }

    deinit {
        guard side == .client, !isComplete, life.isRunning else { return }
        upload?.cancel()
        connection.abort(.client)
    }

    /// The body as its user sees it.
    func body(length: Int?) -> HTTPBody {
        .stream(ByteStream { () async throws(TransportError) in try await self.next() }, length: length)
    }

    /// Once the answer has come, the client keeps the connection there.
    func keeps(at origin: KeptConnections.Origin) { self.origin = origin }

    /// Nothing more is wanted or will come: the client keeps the connection for the next request, or closes it.
    ///
    /// - Parameter awaitsBodyEnd: Whether the end of the body is still on its way.
    func complete(awaitsBodyEnd: Bool) {
        guard !isComplete else { return }
        isComplete = true
        guard side == .client else { return }
        if let origin, progress?.isComplete == true {
            return IdleConnection.keep(connection, origin, awaitsBodyEnd: awaitsBodyEnd)
        }
        upload?.cancel()
        connection.sendControl(.end, from: .client)
        connection.retire(.client)
    }

    private func next() async throws(TransportError) -> [UInt8]? {
        if isComplete { return nil }
        if side == .server, connection[.server].answers != answers {
            throw failure(.reset, "the request was answered, and the connection may serve another one")
        }
        let deadline = connection.network.deadline(after: timeout)
        switch await connection.receive(at: side, until: deadline) {
        case .segment(.chunk(let bytes)): return bytes
        case .segment(.bodyEnd):
            complete(awaitsBodyEnd: false)
            return nil
        case .segment, .ended: throw failure(.reset, "the connection ended within the body")
        case .failed(let failure): throw self.failure(failure.code, failure.detail)
        case .cancelled: throw failure(.cancelled)
        case .expired:
            // A server ends the connection of a client that stands still; a client abandons the request below.
            if side == .server { connection.abort(.server) }
            throw failure(.timedOut, "no chunk in time")
        }
    }

    private func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
        if side == .client {
            isComplete = true
            upload?.cancel()
            connection.abort(.client)
        }
        return TransportError(
            code,
            operation: "read body",
            peer: peer,
            detail: detail,
            reach: side == .client ? .answered : .sent
        )
    }
}
