public import HTTPTypes
public import Transport

/// Passes everything on to another transport, and writes down what crosses.
///
/// Requests are written when they are sent, answers when they have arrived, each with its time. Credentials are
/// redacted on the way in, by name here and by value in the writer. Datagrams pass unrecorded: nothing that is recorded so far uses them.
public struct RecordingTransport<Base: Transport>: Transport {
    private let base: Base
    private let writer: SessionWriter
    private let clock: SessionClock

    /// Wraps a transport.
    public init(_ base: Base, writer: SessionWriter, clock: SessionClock) {
        self.base = base
        self.writer = writer
        self.clock = clock
    }

    /// Sends a request and writes down both sides.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let log = ConnectionLog(kind: "http", writer: writer, clock: clock)
        log.note(.out, .head, Redaction.text(of: request))
        do throws(TransportError) {
            let answer = try await base.send(request, body: log.copying(body, .out), limits: limits)
            log.note(.in, .head, Redaction.text(of: answer.head))
            return (answer.head, log.copying(answer.body, .in))
        } catch {
            log.note(.in, error)
            throw error
        }
    }

    /// Opens a WebSocket that writes down what it sends and receives.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let log = ConnectionLog(kind: "websocket", writer: writer, clock: clock)
        log.note(.out, .head, Redaction.text(of: request))
        do throws(TransportError) {
            let socket = try await base.connect(request, limits: limits, timeout: timeout)
            log.note(.in, .head, socket.subprotocol.map { "101 \($0)" } ?? "101")
            return RecordingWebSocket(base: socket, log: log)
        } catch {
            log.note(.in, error)
            throw error
        }
    }

    /// Binds a datagram socket of the wrapped transport.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        try await base.bind(address, options: options)
    }

    /// Resolves a name with the wrapped transport.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await base.resolve(address)
    }

    /// The interfaces of the wrapped transport.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        try await base.interfaces()
    }
}
