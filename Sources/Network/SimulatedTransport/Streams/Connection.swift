import Simulation
import Transport

/// A stream between two hosts, like a TCP connection whose bytes are whole messages.
final class Connection: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    let number: Int
    unowned let network: SimulatedNetwork
    let timing: StreamTiming
    private let client: StreamEnd
    private let server: StreamEnd
    private var toServer: Lane?
    private var toClient: Lane?
    /// The addresses between which it goes.
    var addresses: (client: IPAddress, server: IPAddress) = (.loopbackV4, .loopbackV4) {
        didSet { lostAddress = nil }
    }
    /// Whether an address was gone, and after how many changes of addresses that was found out.
    private var lostAddress: (isLost: Bool, changes: Int)?

    init(number: Int, client: SimulatedHost, server: SimulatedHost, network: SimulatedNetwork) {
        self.number = number
        self.network = network
        timing = network.timing
        self.client = StreamEnd(client)
        self.server = StreamEnd(server)
        let forth = network.link(client, server)
        let back = network.link(server, client)
        toServer = Lane(self, from: .client, link: forth, backLink: back)
        toClient = Lane(self, from: .server, link: back, backLink: forth)
    }

    func address(of side: Side) -> IPAddress { side == .client ? addresses.client : addresses.server }

    /// Of a stream that passes a NAT.
    var passage: StreamPassage?

    /// Whether nothing gets through for now: an address is gone, or a NAT has forgotten the stream.
    var isCutOff: Bool { hasLostAddress || passage?.isForgotten == true }

    /// Whether one of the addresses is gone for now, so that nothing gets through.
    private var hasLostAddress: Bool {
        let changes = network.addressChanges
        if let known = lostAddress, known.changes == changes { return known.isLost }
        let isLost = !client.host.holds(addresses.client) || !server.host.holds(addresses.server)
        lostAddress = (isLost, changes)
        return isLost
    }

    subscript(side: Side) -> StreamEnd { side == .client ? client : server }

    func lane(from side: Side) -> Lane {
        guard let lane = side == .client ? toServer : toClient else {
            preconditionFailure("a connection has two lanes from its first moment on")
        }
        return lane
    }

    func schedule(on node: Node, at time: Int64, _ event: @escaping @Sendable (Connection) -> Void) {
        network.schedule(on: node, at: time) { event(self) }
    }

    // MARK: Sending

    /// Sends, and waits while there is no room.
    func send(_ segment: Segment, from side: Side) async -> Lane.SendOutcome {
        if Task.isCancelled { return .cancelled }
        if self[side].isGone { return .broken }
        let lane = lane(from: side)
        if lane.offer(segment) { return .passed }
        return await wait(toSend: segment, on: lane, from: side)
    }

    private func wait(toSend segment: Segment, on lane: Lane, from side: Side) async -> Lane.SendOutcome {
        let place = Place()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The task may have changed executors on the way to here, and stood still: it looks again.
                if Task.isCancelled {
                    continuation.resume(returning: .cancelled)
                } else if self[side].isGone {
                    continuation.resume(returning: .broken)
                } else if lane.offer(segment) {
                    continuation.resume(returning: .passed)
                } else {
                    place.parked = lane.park(segment, continuation)
                }
            }
        } onCancel: {
            guard let parked = place.parked, let continuation = parked.continuation.take() else { return }
            parked.isCancelled = true
            continuation.resume(returning: .cancelled)
        }
    }

    /// Where a cancellation finds what it cancels.
    private final class Place: @unchecked Sendable {
        // Invariant that makes this Sendable: as for the connection.
        var parked: Lane.Parked?
    }

    /// Sends a segment that needs no room.
    func sendControl(_ segment: Segment, from side: Side) {
        if !self[side].isGone { _ = lane(from: side).offer(segment) }
    }

    // MARK: Receiving

    /// What a reader gets.
    enum Received: Sendable {
        case segment(Segment)
        case ended
        case failed(StreamEnd.Failure)
        case cancelled
        case expired
    }

    /// Takes the next segment, or waits for it.
    ///
    /// - Parameter deadline: Asked again whenever it has passed or the reader was woken, since it may have moved.
    func receive(at side: Side, until deadline: @autoclosure () -> Int64 = .max) async -> Received {
        let end = self[side]
        while true {
            if Task.isCancelled { return .cancelled }
            if let segment = take(at: side) { return .segment(segment) }
            if let failure = end.failure { return .failed(failure) }
            if end.hasEnded { return .ended }
            switch await end.reader.wait(until: deadline()) {
            case .ready: continue
            case .cancelled: return .cancelled
            case .expired: if deadline() <= network.now { return .expired }
            }
        }
    }

    /// Takes the next segment if one is there.
    func take(at side: Side) -> Segment? {
        guard let segment = self[side].inbox.popFirst() else { return nil }
        lane(from: side.other).read(segment)
        return segment
    }

    /// A segment has come to an end that knows the connection.
    func arrived(_ segment: Segment, at side: Side) {
        let end = self[side]
        switch segment {
        case .reset:
            self.end(side, .reset)
        case .end:
            end.hasEnded = true
            end.handler?.ended()
            end.reader.wake()
            if end.isDiscarding { retire(side) }
        case .request(let request, let body):
            // The one before, if there was one, is answered.
            end.isDiscarding = false
            end.listener?.serve(request, body, on: self)
        case _ where end.isDiscarding:
            lane(from: side.other).read(segment)
        default:
            if end.handler?.handle(segment) == true {
                lane(from: side.other).read(segment)
            } else {
                end.inbox.append(segment)
                end.reader.wake()
            }
        }
    }

    /// Throws away what has come and what will, until the other side ends.
    func discard(at side: Side) {
        let end = self[side]
        end.isDiscarding = true
        while take(at: side) != nil {}
        if end.hasEnded { retire(side) }
    }

    /// The server has answered: it throws away what still comes of the request, and waits for the next one, for a time.
    func answered(keeping isKept: Bool) {
        let end = self[.server]
        discard(at: .server)
        end.answers += 1
        guard isKept else { return close() }
        let answers = end.answers
        schedule(on: end.host.node, at: network.deadline(after: timing.serverIdleTimeout.nanoseconds)) {
            if $0[.server].answers == answers, $0[.server].isDiscarding { $0.close() }
        }
    }

    /// The server takes no further request, and lets the client end the connection: one that forgot it would answer what
    /// still comes with a reset, which could overtake the answer.
    func close() {
        guard !server.isGone, !server.isClosing else { return }
        server.isClosing = true
        sendControl(.end, from: .server)
    }

    // MARK: Ending

    /// One side learns that the connection is broken.
    func end(_ side: Side, _ code: TransportError.Code, _ detail: String = "") {
        let end = self[side]
        guard !end.isGone else { return }
        let (handler, listener) = (end.handler, end.listener)
        end.failure = StreamEnd.Failure(code: code, detail: detail)
        lane(from: side).failBacklog()
        retire(side)
        handler?.ended()
        end.reader.wake()
        listener?.broke(self)
    }

    /// One side breaks the connection, and the other will learn of it.
    func abort(_ side: Side, _ code: TransportError.Code = .reset, _ detail: String = "") {
        guard !self[side].isGone else { return }
        lane(from: side).sendLast(.reset)
        end(side, code, detail)
    }

    /// One side is done with the connection, and forgets it.
    func retire(_ side: Side) {
        let end = self[side]
        guard !end.isGone else { return }
        end.isGone = true
        end.listener?.forget(self)
        // Both hold the connection, or what does.
        end.listener = nil
        end.handler = nil
        if self[side.other].isGone { network.forget(self) }
    }

    /// Both sides learn at once that the connection is broken, and what is on its way is lost.
    func breakNow() {
        for side in [Side.client, .server] { lane(from: side).dropFlight() }
        for side in [Side.client, .server] { end(side, .reset, "the connection was reset") }
    }

    /// The node of a side has crashed: its process, or the whole machine.
    func crashed(_ side: Side, _ kind: CrashKind) {
        let end = self[side]
        if !end.isGone {
            if kind == .machine { end.isQuiet = true } else { lane(from: side).sendLast(.reset) }
            // Nobody on the node may be woken by a cancellation: it does not run any more.
            end.listener = nil
            self.end(side, .reset, "the node has crashed")
        }
        lane(from: side).senderCrashed()
        lane(from: side.other).receiverCrashed()
    }
}
