import Transport

/// The WebSocket protocol at one end of a connection: control frames, limits and the closing handshake.
final class WebSocketState: SegmentHandler, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private enum Phase {
        case open
        /// A close frame was sent; the peer's is awaited.
        case closing
        case ended
    }

    private struct PendingPing {
        var number: UInt64
        var answered: Slot
    }

    private unowned let connection: Connection
    private let side: Side
    private let limits: WebSocketLimits
    private var phase = Phase.open
    /// What the reader gets when everything before it was read.
    private(set) var final: WebSocketClose?
    private var pings: [PendingPing] = []
    private var nextPing: UInt64 = 0
    private var closers: [Slot] = []

    init(_ connection: Connection, at side: Side, limits: WebSocketLimits) {
        self.connection = connection
        self.side = side
        self.limits = limits
        connection.lane(from: side.other).window.messageLimit = limits.bufferedMessages
        connection[side].handler = self
    }

    var isOpen: Bool { phase == .open }
    private var end: StreamEnd { connection[side] }

    // MARK: Arrivals

    func handle(_ segment: Segment) -> Bool {
        switch segment {
        case .text, .binary:
            guard phase == .open else { return true }
            if segment.byteCount <= limits.messageBytes { return false }
            let close = WebSocketClose(code: 1009, reason: "message over \(limits.messageBytes) bytes")
            startClosing(close)
            finish(close)
        case .ping(let number): if phase == .open { connection.sendControl(.pong(number), from: side) }
        case .pong(let number): settlePings(through: number)
        case .close(let close): accept(close)
        default: return false
        }
        return true
    }

    func ended() {
        phase = .ended
        finish(.abnormal)
        settlePings(through: .max)
        for closer in closers { closer.wake() }
        closers = []
    }

    private func accept(_ close: WebSocketClose) {
        // The peer takes nothing any more: what waits for room is given up.
        if phase == .open { connection.lane(from: side).sendLast(.close(close)) }
        finish(close)
        // Our last frame is on its way, and lets the peer forget the connection in its turn.
        connection.retire(side)
        ended()
    }

    private func finish(_ close: WebSocketClose) {
        guard final == nil else { return }
        final = close
        end.reader.wake()
    }

    private func settlePings(through number: UInt64) {
        for ping in pings where ping.number <= number { ping.answered.wake() }
        pings.removeAll { $0.number <= number }
    }

    // MARK: Calls

    /// Sends a ping; its slot is woken by the pong or by the end.
    func ping() -> Slot {
        let answered = Slot(end.host)
        pings.append(PendingPing(number: nextPing, answered: answered))
        connection.sendControl(.ping(nextPing), from: side)
        nextPing += 1
        return answered
    }

    func forgetPing(_ answered: Slot) { pings.removeAll { $0.answered === answered } }

    /// Sends a close frame behind everything else; what comes from now on is thrown away.
    func startClosing(_ close: WebSocketClose) {
        guard phase == .open else { return }
        phase = .closing
        let close = WebSocketClose(code: close.code, reason: close.reason.prefix(utf8: 123))
        connection.sendControl(.close(close), from: side)
        let timeout = connection.timing.closeTimeout.nanoseconds
        end.host.schedule(at: connection.network.now + timeout) { [weak self, connection, side] in
            if let self, self.phase != .ended { connection.abort(side) }
        }
    }

    /// Waits for the end; bounded, because a closing connection ends by itself.
    func waitForEnd() async {
        guard phase != .ended else { return }
        let ended = Slot(end.host)
        closers.append(ended)
        _ = await ended.wait()
        closers.removeAll { $0 === ended }
    }

    /// Why nothing can be sent.
    var endError: (code: TransportError.Code, detail: String) {
        switch final {
        case .abnormal?: (.reset, end.failure?.detail ?? "the connection was lost")
        case let close?: (.closed, "closed with \(close)")
        case nil: (.closed, "this side is closing")
        }
    }
}

extension String {
    /// The longest beginning of whole characters within `limit` bytes of UTF-8.
    fileprivate func prefix(utf8 limit: Int) -> String {
        if utf8.count <= limit { return self }
        var size = 0
        return String(
            prefix { character in
                size += character.utf8.count
                return size <= limit
            }
        )
    }
}
