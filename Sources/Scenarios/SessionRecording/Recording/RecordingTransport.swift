public import HTTPTypes
public import Transport

/// Passes everything on to another transport, and writes down what crosses.
///
/// Requests are written when they are sent, answers when they have arrived, each with its time. Credentials are
/// redacted on the way in, by name here and by value in the writer. Of datagrams only their protocol's reader knows where secrets may be:
/// without one no socket is bound.
public struct RecordingTransport<Base: Transport>: Transport {
    private let base: Base
    private let writer: SessionWriter
    private let clock: SessionClock
    private let datagrams: (any DatagramReader)?

    /// Wraps a transport.
    ///
    /// - Parameters:
    ///   - base: What carries everything.
    ///   - writer: Where it is written down.
    ///   - clock: Gives the times.
    ///   - datagrams: Knows what datagrams carry; all sockets speak its protocol.
    public init(
        _ base: Base,
        writer: SessionWriter,
        clock: SessionClock,
        datagrams: (any DatagramReader)? = nil
    ) {
        self.base = base
        self.writer = writer
        self.clock = clock
        self.datagrams = datagrams
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

    /// Binds a socket that writes down what it sends and receives.
    ///
    /// - Throws: `addressUnavailable` also where nothing is known of what datagrams carry.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        guard let datagrams else {
            throw TransportError(
                .addressUnavailable,
                operation: "bind",
                peer: "\(address)",
                detail: "the recording has no reader for datagrams, which may hide secrets: give it one"
            )
        }
        let log = ConnectionLog(kind: SessionFormat.datagramKind, writer: writer, clock: clock)
        log.note(.out, .head, RecordingDatagramSocket.binding(address, options))
        do throws(TransportError) {
            let socket = try await base.bind(address, options: options)
            log.note(.in, .head, "\(socket.localAddress)")
            return RecordingDatagramSocket(socket, log, datagrams, writer)
        } catch {
            log.note(.in, error)
            throw error
        }
    }

    /// Resolves a name with the wrapped transport, and writes down what came of it.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        let log = ConnectionLog(kind: SessionFormat.lookUpKind, writer: writer, clock: clock)
        log.note(.out, .head, "\(address)")
        do throws(TransportError) {
            let endpoints = try await base.resolve(address)
            log.note(.in, .body, RecordedHost.bytes(of: endpoints))
            return endpoints
        } catch {
            log.note(.in, error)
            throw error
        }
    }

    /// The interfaces of the wrapped transport, which are written down.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        let log = ConnectionLog(kind: SessionFormat.interfacesKind, writer: writer, clock: clock)
        log.note(.out, .head, "interfaces")
        do throws(TransportError) {
            let interfaces = try await base.interfaces()
            log.note(.in, .body, RecordedHost.bytes(of: interfaces))
            return interfaces
        } catch {
            log.note(.in, error)
            throw error
        }
    }
}
