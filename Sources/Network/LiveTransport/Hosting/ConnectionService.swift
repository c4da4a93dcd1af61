import NIOCore
import NIOHTTP1
import NIOSSL
import Transport

/// What all connections of one listener share.
struct ConnectionService: Sendable {
    let server: any Server
    let limits: LoopbackHost.Limits
    let tls: NIOSSLContext?
    let tasks: TaskLedger
    let memory: InputBudget

    /// The handlers of HTTP that leave when a connection becomes a WebSocket, from the socket inwards.
    enum HandlerName {
        static let idle = "connection idle"
        static let encoder = "response encoder"
        static let gate = "request gate"
        static let decoder = "request decoder"
        static let pipelining = "request pipelining"
    }

    /// Adds the handlers of an HTTP connection to a new channel.
    func install(on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let share = memory.share()
        channel.closeFuture.whenComplete { _ in share.end() }
        let edge = ConnectionEdge(pace: limits.outputPace, share: share)
        try pipeline.addHandler(edge)
        let idle = IdleStateHandler(allTimeout: TimeAmount(limits.idleTimeout))
        try pipeline.addHandler(idle, name: HandlerName.idle)
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        var framing = HTTPResponseEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        try pipeline.addHandler(HTTPResponseEncoder(configuration: framing), name: HandlerName.encoder)
        let gate = RequestGate(share)
        try pipeline.addHandler(gate, name: HandlerName.gate)
        var bounds = NIOHTTPDecoderLimitConfiguration()
        bounds.maxHeaderListSize = limits.headerBytes
        bounds.maxHeaderFieldSize = min(limits.headerBytes, bounds.maxHeaderFieldSize)
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: bounds)
        try pipeline.addHandler(ByteToMessageHandler(decoder), name: HandlerName.decoder)
        try pipeline.addHandler(HTTPServerPipelineHandler(), name: HandlerName.pipelining)
        try pipeline.addHandler(HTTPConnectionHandler(self, edge: edge, gate: gate, share: share))
    }
}

extension LoopbackHost.Limits {
    /// How fast peers have to take what is sent to them.
    fileprivate var outputPace: ConnectionEdge.Pace {
        let seconds = idleTimeout / .seconds(1)
        let bytes = max(seconds * Double(bodyBytesPerSecond), 1)
        return ConnectionEdge.Pace(limit: idleTimeout, bytes: Int(exactly: bytes.rounded()) ?? .max)
    }
}
