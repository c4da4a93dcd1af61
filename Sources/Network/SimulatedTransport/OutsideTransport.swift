public import HTTPTypes
import Simulation
public import Transport

/// A live transport for a program that runs in a simulation whose pace is real.
///
/// Every operation leaves the simulation by `Simulation.outside(_:)` and comes back as an event with a moment of
/// virtual time of its own. Outside a simulation it adds nothing. Bodies stream both ways, chunk by chunk.
public struct OutsideTransport<Base: Transport>: Transport {
    private let base: Base

    /// Wraps a transport whose operations happen in the real world.
    public init(_ base: Base) { self.base = base }

    /// Sends a request in the real world.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let upload = OutsideUpload.leaving(body)
        let base = base
        let leaving = upload.body
        let answer: Answer
        do throws(TransportError) {
            answer = try await Simulation.outside { () async throws(TransportError) -> Answer in
                let (head, body) = try await base.send(request, body: leaving, limits: limits)
                return Answer(head: head, body: body)
            }
        } catch {
            upload.task?.cancel()
            throw error
        }
        guard case .stream(let stream, let length) = answer.body.readOnce else {
            return (answer.head, answer.body)
        }
        let reader = OutsideReader(stream)
        let entering = ByteStream { () async throws(TransportError) -> [UInt8]? in
            try await Simulation.outside { () async throws(TransportError) -> [UInt8]? in
                try await reader.next()
            }
        }
        return (answer.head, .stream(entering, length: length))
    }

    /// Opens a WebSocket in the real world.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let base = base
        let socket = try await Simulation.outside { () async throws(TransportError) -> any WebSocket in
            try await base.connect(request, limits: limits, timeout: timeout)
        }
        return OutsideWebSocket(base: socket)
    }

    /// Binds a datagram socket in the real world.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        let base = base
        let socket = try await Simulation.outside { () async throws(TransportError) -> any DatagramSocket in
            try await base.bind(address, options: options)
        }
        return OutsideDatagramSocket(base: socket)
    }

    /// Resolves a name in the real world.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        let base = base
        return try await Simulation.outside { () async throws(TransportError) -> [Endpoint] in
            try await base.resolve(address)
        }
    }

    /// The interfaces of the real host.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        let base = base
        return try await Simulation.outside { () async throws(TransportError) -> [NetworkInterface] in
            try await base.interfaces()
        }
    }
}

private struct Answer: Sendable {
    var head: HTTPResponse
    var body: HTTPBody
}

/// Reads a stream of the real world; one reader at a time.
private actor OutsideReader {
    private var iterator: ByteStream.Iterator

    init(_ stream: ByteStream) { iterator = stream.makeAsyncIterator() }

    func next() async throws(TransportError) -> [UInt8]? {
        var current = iterator
        defer { iterator = current }
        return try await current.next()
    }
}

private struct OutsideWebSocket: WebSocket {
    let base: any WebSocket
    var subprotocol: String? { base.subprotocol }

    func send(text: String) async throws(TransportError) {
        try refuseIfCancelled()
        try await Simulation.outside { () async throws(TransportError) in try await base.send(text: text) }
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        try refuseIfCancelled()
        try await Simulation.outside { () async throws(TransportError) in
            try await base.send(binary: binary)
        }
    }

    func send(utf8: [UInt8]) async throws(TransportError) {
        try refuseIfCancelled()
        try await Simulation.outside { () async throws(TransportError) in try await base.send(utf8: utf8) }
    }

    /// A cancellation that came before the message must not race with it.
    private func refuseIfCancelled() throws(TransportError) {
        if Task.isCancelled {
            throw TransportError(
                .cancelled,
                operation: "send message",
                peer: "the WebSocket",
                reach: .notSent
            )
        }
    }

    func ping(timeout: Duration) async throws(TransportError) {
        try await Simulation.outside { () async throws(TransportError) in
            try await base.ping(timeout: timeout)
        }
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        try await Simulation.outside { () async throws(TransportError) in try await base.receive() }
    }

    func receivePayload() async throws(TransportError) -> WebSocketPayload {
        try await Simulation.outside { () async throws(TransportError) in try await base.receivePayload() }
    }

    func close(_ close: WebSocketClose) async {
        await Simulation.outside { await base.close(close) }
    }
}
