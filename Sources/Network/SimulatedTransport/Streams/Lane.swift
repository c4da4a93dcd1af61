import Simulation
import Transport

/// One direction of a connection: what is on its way, in order, and what waits for room.
///
/// Arrivals are events on the receiver's node, one for all that is due, so a message costs no task and, in a burst,
/// no event of its own. What the sender's system does by itself (retransmission, window probes) are events on the
/// sender's node.
final class Lane: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private struct Flying {
        var segment: Segment
        var sentAt: Int64
        var due: Int64
        /// The stream breaks in the moment in which it would arrive; what was sent before has arrived then.
        var breaks: Bool
    }

    /// A segment that waits for room, and its sender.
    final class Parked: @unchecked Sendable {
        // Invariant that makes this Sendable: as for the lane.
        fileprivate(set) var segment: Segment
        var continuation: CheckedContinuation<SendOutcome, Never>?
        var isCancelled = false

        init(_ segment: Segment, _ continuation: CheckedContinuation<SendOutcome, Never>?) {
            self.segment = segment
            self.continuation = continuation
        }
    }

    /// What became of a segment that waited.
    enum SendOutcome: Sendable {
        case passed
        case cancelled
        case broken
    }

    private enum Path {
        case open
        /// Nothing gets through since this time; tried again after an interval that doubles.
        case stalled(since: Int64, interval: Int64)
        /// The sender's machine is off, or it has given up: nothing will be sent again.
        case dead
    }

    private unowned let connection: Connection
    private unowned let network: SimulatedNetwork
    private let side: Side  // the sender's
    private let sender: StreamEnd
    private let receiver: StreamEnd
    private let timing: StreamTiming
    private let link: SimulatedLink
    private let backLink: SimulatedLink
    var window: Window

    private var flight = Ring<Flying>()
    private var lastDue: Int64 = 0
    private var notBefore: Int64 = 0
    private var path = Path.open
    private var backlog = Ring<Parked>()
    /// The pong in the backlog; there is one at most.
    private var owedPong: Parked?
    private var credit = Window.Credit()
    private var isCreditOnItsWay = false
    // Events cannot be taken back; one whose number is not the current one does nothing.
    private var arrivalNumber = 0
    private var isArrivalSet = false
    private var retryNumber = 0

    init(_ connection: Connection, from side: Side, link: SimulatedLink, backLink: SimulatedLink) {
        self.connection = connection
        network = connection.network
        self.side = side
        sender = connection[side]
        receiver = connection[side.other]
        timing = connection.timing
        self.link = link
        self.backLink = backLink
        window = Window(byteLimit: connection.timing.windowBytes)
    }

    private var now: Int64 { network.now }
    private var isBlocked: Bool {
        link.isPartitioned || receiver.host.isSilent || connection.isCutOff
    }
    private var isBackBlocked: Bool { backLink.isPartitioned || connection.isCutOff }

    // MARK: Sending

    /// Sends if there is room, or if the segment needs none.
    func offer(_ segment: Segment) -> Bool {
        if segment.isFlowControlled {
            guard backlog.isEmpty, window.hasRoom else { return false }
        } else if !backlog.isEmpty {
            // It must not overtake what waits.
            wait(behindBacklog: segment)
            return true
        }
        transmit(segment)
        return true
    }

    /// Keeps a control segment behind what waits; of several pongs only the latest, as RFC 6455 section 5.5.3 allows.
    private func wait(behindBacklog segment: Segment) {
        guard case .pong = segment else { return backlog.append(Parked(segment, nil)) }
        if let owedPong {
            owedPong.segment = segment
        } else {
            let pong = Parked(segment, nil)
            owedPong = pong
            backlog.append(pong)
        }
    }

    /// Keeps a segment until there is room.
    func park(_ segment: Segment, _ continuation: CheckedContinuation<SendOutcome, Never>) -> Parked {
        let parked = Parked(segment, continuation)
        backlog.append(parked)
        return parked
    }

    /// Sends past everything that waits, which is given up.
    func sendLast(_ segment: Segment) {
        failBacklog()
        transmit(segment)
    }

    /// Gives up what waits, but for a close frame, which is sent.
    func sendWaitingClose() {
        if let close = failBacklog() { transmit(close) }
    }

    /// Gives up what waits; returns the close frame among it.
    @discardableResult
    func failBacklog() -> Segment? {
        owedPong = nil
        var close: Segment?
        while let parked = backlog.popFirst() {
            if case .close = parked.segment { close = parked.segment }
            parked.continuation.take()?.resume(returning: .broken)
        }
        return close
    }

    private func transmit(_ segment: Segment) {
        let size = segment.byteCount
        if segment.isFlowControlled { window.sent(size) }
        link.statistics.messages += 1
        link.statistics.bytes += size
        let now = now
        connection.passage?.use(now: now)
        let breaks = link.breaksStream()
        let delay = link.segmentDelay(
            bytes: size,
            now: now,
            retransmission: timing.retransmission.nanoseconds,
            timing: timing
        )
        guard let delay, lastDue != .max else {
            if lastDue != .max { giveUpLater() }
            lastDue = .max
            flight.append(Flying(segment: segment, sentAt: now, due: .max, breaks: false))
            return
        }
        lastDue = max(now + delay, lastDue)
        flight.append(Flying(segment: segment, sentAt: now, due: lastDue, breaks: breaks))
        guard case .open = path else { return }
        if isBlocked { stall() } else { setArrival() }
    }

    /// A segment is lost again and again until the sender gives up; what comes behind it waits for it.
    private func giveUpLater() {
        connection.schedule(on: sender.host.node, at: now + timing.userTimeout.nanoseconds) {
            [side] connection in
            connection.lane(from: side).dropFlight()
            connection.end(side, .timedOut)
        }
    }

    // MARK: Arriving

    private func setArrival() {
        guard !isArrivalSet, case .open = path, let first = flight.first, first.due != .max else { return }
        isArrivalSet = true
        arrivalNumber += 1
        // A dead process has a living system, which answers; see below.
        let node = receiver.host.node.isAlive ? receiver.host.node : sender.host.node
        connection.schedule(on: node, at: max(first.due, notBefore)) { [side, arrivalNumber] connection in
            connection.lane(from: side).arrive(arrivalNumber)
        }
    }

    private func arrive(_ number: Int) {
        guard number == arrivalNumber else { return }
        isArrivalSet = false
        guard case .open = path else { return }
        if isBlocked { return stall() }
        let now = now
        while let first = flight.first, first.due <= now, !receiver.isGone {
            if first.breaks { return connection.breakNow() }
            _ = flight.popFirst()
            link.noteArrival(first.segment.label, bytes: first.segment.byteCount, age: now - first.sentAt)
            connection.arrived(first.segment, at: side.other)
        }
        if receiver.isGone, let first = flight.first, first.due <= now { return answerWithReset() }
        setArrival()
    }

    /// The receiving system knows no such connection.
    private func answerWithReset() {
        dropFlight()
        guard !sender.isGone else { return }
        returnReset(since: now, after: backLink.controlDelay(), wait: timing.retransmission.nanoseconds)
    }

    /// Brings the reset to the sender; what the sender repeats calls for another one while the way back is blocked.
    private func returnReset(since: Int64, after delay: Int64, wait: Int64) {
        path = .dead
        connection.schedule(on: sender.host.node, at: now + delay) { [side] connection in
            let lane = connection.lane(from: side)
            if !lane.isBackBlocked {
                connection.end(side, .reset)
            } else if lane.now - since >= lane.timing.userTimeout.nanoseconds {
                connection.end(side, .timedOut)
            } else {
                lane.returnReset(since: since, after: wait, wait: lane.longer(wait))
            }
        }
    }

    // MARK: Stalling

    private func stall() {
        link.noteFault("stall")
        if sender.isQuiet {
            path = .dead
            return dropFlight()
        }
        retryLater(since: now, interval: timing.retransmission.nanoseconds)
    }

    private func retryLater(since: Int64, interval: Int64) {
        path = .stalled(since: since, interval: interval)
        retryNumber += 1
        let left = since + timing.userTimeout.nanoseconds - now
        let node = sender.host.node.isAlive ? sender.host.node : receiver.host.node
        connection.schedule(on: node, at: now + min(interval, max(0, left))) {
            [side, retryNumber] connection in
            connection.lane(from: side).retry(retryNumber)
        }
    }

    private func retry(_ number: Int) {
        guard number == retryNumber, case .stalled(let since, let interval) = path else { return }
        if !isBlocked {
            path = .open
            notBefore = now + link.controlDelay()
            lastDue = max(lastDue, notBefore)
            setArrival()
        } else if now - since >= timing.userTimeout.nanoseconds {
            path = .dead
            dropFlight()
            connection.end(side, .timedOut)
        } else {
            retryLater(since: since, interval: longer(interval))
        }
    }

    private func longer(_ interval: Int64) -> Int64 {
        min(interval * 2, timing.longestRetransmission.nanoseconds)
    }

    // MARK: Room

    /// Counts what the receiver has read.
    func read(_ segment: Segment) {
        guard segment.isFlowControlled, let more = window.read(segment.byteCount) else { return }
        credit.messages += more.messages
        credit.bytes += more.bytes
        guard !isCreditOnItsWay else { return }
        isCreditOnItsWay = true
        bringCredit(after: backLink.controlDelay(), wait: timing.retransmission.nanoseconds)
    }

    /// Tells the sender; while the way is blocked, the sender asks again and again, as TCP's persist timer does.
    private func bringCredit(after delay: Int64, wait: Int64) {
        connection.schedule(on: sender.host.node, at: now + delay) { [side] connection in
            let lane = connection.lane(from: side)
            if lane.isBackBlocked {
                lane.bringCredit(after: wait, wait: lane.longer(wait))
            } else {
                lane.acceptCredit()
            }
        }
    }

    private func acceptCredit() {
        isCreditOnItsWay = false
        window.forget(credit)
        credit = Window.Credit()
        while let first = backlog.first,
            first.isCancelled || !first.segment.isFlowControlled || window.hasRoom
        {
            _ = backlog.popFirst()
            if first === owedPong { owedPong = nil }
            if first.isCancelled { continue }
            transmit(first.segment)
            first.continuation.take()?.resume(returning: .passed)
        }
    }

    // MARK: Ends

    /// Forgets what is on its way.
    func dropFlight() {
        link.statistics.droppedInFlight += flight.count
        flight.removeAll()
    }

    /// The sender's node has crashed, and its events with it.
    func senderCrashed() {
        guard case .stalled(let since, let interval) = path else { return }
        if sender.isQuiet {
            path = .dead
            dropFlight()
        } else {
            retryLater(since: since, interval: interval)
        }
    }

    /// The receiver's node has crashed, and its events with it.
    func receiverCrashed() {
        isArrivalSet = false
        setArrival()
    }
}
