import Transport

/// One end of a WebSocket on its connection: carries out what its ``WebSocketLife`` asks for.
final class WebSocketState: SegmentHandler, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private unowned let connection: Connection
    private let side: Side
    private let limits: WebSocketLimits
    private var life: WebSocketLife<Slot>
    private var closers: [Slot] = []

    init(_ connection: Connection, at side: Side, limits: WebSocketLimits) {
        self.connection = connection
        self.side = side
        self.limits = limits
        life = WebSocketLife(limits: limits, now: connection.network.now)
        let lane = connection.lane(from: side.other)
        lane.window.messageLimit = limits.bufferedMessages
        lane.window.byteLimit = min(lane.window.byteLimit, limits.bufferedBytes)
        connection[side].handler = self
    }

    var isOpen: Bool { life.isOpen }
    /// What the reader gets when everything before it was read.
    var final: WebSocketClose? { life.final }
    /// Why nothing can be sent.
    var endError: (code: TransportError.Code, detail: String) { life.endError }
    private var end: StreamEnd { connection[side] }
    private var now: Int64 { connection.network.now }

    // MARK: Arrivals

    func handle(_ segment: Segment) -> Bool {
        life.heard(at: now)
        switch segment {
        case .text, .binary:
            guard life.isOpen else { return true }
            guard let refusal = limits.refusal(ofMessageOf: segment.byteCount) else { return false }
            perform(life.fail(refusal))
        case .ping(let number): if life.isOpen { connection.sendControl(.pong(number), from: side) }
        case .pong(let number): for ping in life.pong(number) { ping.wake() }
        case .close(let close): accept(close)
        default: return false
        }
        return true
    }

    func ended() {
        perform(life.connectionEnded(end.failure?.detail))
        for closer in closers { closer.wake() }
        closers = []
    }

    private func accept(_ close: WebSocketClose) {
        var step = life.closed(by: close)
        // The peer takes nothing any more: what waits for room is given up.
        let lane = connection.lane(from: side)
        if let answer = step.closeFrame.take() {
            lane.sendLast(.close(answer))
        } else {
            lane.sendWaitingClose()
        }
        perform(step)
        // Our last frame is on its way, and lets the peer forget the connection in its turn.
        connection.retire(side)
        ended()
    }

    private func perform(_ step: WebSocketLife<Slot>.Step) {
        if let close = step.closeFrame {
            connection.sendControl(.close(close), from: side)
            endLater()
        }
        if step.final != nil { end.reader.wake() }
        for ping in step.unanswered { ping.wake() }
        if step.cuts { connection.abort(side) }
    }

    private func endLater() {
        let timeout = connection.timing.closeTimeout.nanoseconds
        end.host.schedule(at: now + timeout) { [weak self, connection, side] in
            if let self, !self.life.hasEnded { connection.abort(side) }
        }
    }

    // MARK: Calls

    /// Sends a ping; its slot is woken by the pong or by the end.
    func ping() -> Slot {
        let answered = Slot(end.host)
        connection.sendControl(.ping(life.ping(answered)), from: side)
        return answered
    }

    func forgetPing(_ answered: Slot) { life.forgetPing { $0 === answered } }

    /// Sends a close frame behind everything else, and throws away what comes from now on; or cuts the connection.
    func close(_ close: WebSocketClose) { perform(life.close(close)) }

    /// Nobody holds the socket any more: one that is open is cut, one that is closing goes on by itself.
    func abandon() {
        if life.isOpen { perform(life.cut("nobody uses this side any more")) }
    }

    /// Waits for the end; bounded, because a closing connection ends by itself.
    func waitForEnd() async {
        guard !life.hasEnded else { return }
        let ended = Slot(end.host)
        closers.append(ended)
        _ = await ended.wait()
        closers.removeAll { $0 === ended }
    }

    // MARK: Keep-alive

    /// The handshake is done: from now on silence counts.
    func start() {
        life.heard(at: now)
        keepAlive()
    }

    private func keepAlive() {
        let isHeldBack = !connection.lane(from: side.other).window.hasRoom
        switch life.keepAlive(at: now, isHeldBack: isHeldBack) {
        case .ping(let number, let next)?:
            connection.sendControl(.ping(number), from: side)
            keepAlive(at: next)
        case .wait(let moment)?: keepAlive(at: moment)
        case .silent?: perform(life.cut(life.silence))
        case .over?, nil: break
        }
    }

    private func keepAlive(at moment: Int64) {
        // An object that holds the state also holds its connection.
        end.host.schedule(at: moment) { [weak self, connection] in
            withExtendedLifetime(connection) { self?.keepAlive() }
        }
    }
}
