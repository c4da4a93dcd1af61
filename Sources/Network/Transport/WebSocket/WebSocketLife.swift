/// The life of one end of a WebSocket: open, closing, ended; its close, its outstanding pings, its signs of life.
///
/// A value without input or output, the same for every transport: a transport reports what happened, and performs
/// the ``Step`` that comes back. `Ping` is what the transport keeps for a ping, such as the task that waits for its
/// answer. Moments are nanoseconds of any clock that never goes back.
package struct WebSocketLife<Ping> {
    private enum Phase {
        case open
        /// A close frame was sent; the peer's, or the end of the connection, is awaited.
        case closing
        /// The closing handshake is done, or the conversation has failed; the end of the connection is awaited.
        case ending
        case ended
    }

    /// What a transport has to do, in this order.
    package struct Step {
        /// The close frame to send, behind everything that was sent before; its reason fits.
        package var closeFrame: WebSocketClose?
        /// What the reader gets behind everything that came before.
        package var final: WebSocketClose?
        /// Pings that get no answer any more.
        package var unanswered: [Ping] = []
        /// Whether the connection is to be cut at once.
        package var cuts = false
    }

    /// What keeps a connection alive at a moment.
    package enum KeepAliveStep: Equatable {
        /// Send a ping, which nobody waits for, and ask again at the moment given.
        case ping(UInt64, next: Int64)
        /// Ask again at the moment given.
        case wait(until: Int64)
        /// The peer has been silent for too long.
        case silent
        /// The conversation is over.
        case over
    }

    private let limits: WebSocketLimits
    private var phase = Phase.open
    private var pings: [(number: UInt64, ping: Ping)] = []
    private var nextPing: UInt64 = 0
    private var lastHeard: Int64
    private var lastAsked = Int64.min
    /// What the reader gets when everything before it was read.
    package private(set) var final: WebSocketClose?
    /// What broke the connection, when this side knows it.
    package private(set) var cause: String?

    /// Makes the life of a connection that has just been opened.
    package init(limits: WebSocketLimits, now: Int64 = 0) {
        self.limits = limits
        lastHeard = now
    }

    // MARK: Questions

    /// Whether messages and pings may be sent, and what arrives is taken.
    package var isOpen: Bool { phase == .open }

    /// Whether the peer's frames are still read, if only for its close frame.
    package var listens: Bool { phase == .open || phase == .closing }

    /// Whether the connection has ended.
    package var hasEnded: Bool { phase == .ended }

    /// Why nothing can be sent any more.
    package var endError: (code: TransportError.Code, detail: String) {
        switch final {
        case .abnormal?: (.reset, cause ?? "the connection was lost")
        case let close?: (.closed, "closed with \(close)")
        case nil: (.closed, "this side is closing")
        }
    }

    // MARK: Closing

    /// This side closes; with 1006 it cuts the connection.
    package mutating func close(_ close: WebSocketClose) -> Step {
        if close.code == WebSocketClose.abnormal.code { return cut("this side has cut the connection") }
        guard phase == .open else { return Step() }
        phase = .closing
        return Step(closeFrame: close.fitting)
    }

    /// The peer's close frame has come; the first one counts.
    package mutating func closed(by close: WebSocketClose) -> Step {
        end(with: close, in: .ending, answersWith: close)
    }

    /// The peer has broken the rules; it is sent the reason, and not listened to any more.
    package mutating func fail(_ close: WebSocketClose) -> Step {
        end(with: close, in: .ending, answersWith: close)
    }

    /// This side gives the connection up without a close frame.
    package mutating func cut(_ cause: String) -> Step {
        guard phase != .ended else { return Step() }
        if final == nil { self.cause = cause }
        var step = end(with: .abnormal, in: .ending, answersWith: nil)
        step.cuts = true
        return step
    }

    /// The connection has ended, for whatever reason.
    package mutating func connectionEnded(_ cause: String? = nil) -> Step {
        if final == nil { self.cause = cause }
        var step = end(with: .abnormal, in: .ended, answersWith: nil)
        step.unanswered = pings.map(\.ping)
        pings = []
        return step
    }

    private mutating func end(
        with close: WebSocketClose,
        in phase: Phase,
        answersWith answer: WebSocketClose?
    )
        -> Step
    {
        var step = Step()
        if self.phase == .open { step.closeFrame = answer?.fitting }
        if self.phase != .ended { self.phase = phase }
        if final == nil {
            final = close
            step.final = close
        }
        return step
    }

    // MARK: Pings

    /// The number of the next ping, whose answer the transport awaits.
    package mutating func ping(_ ping: Ping) -> UInt64 {
        let number = takeNumber()
        pings.append((number, ping))
        return number
    }

    /// A pong has come, which answers its ping and all earlier ones; one that answers no ping is ignored.
    package mutating func pong(_ number: UInt64) -> [Ping] {
        guard number < nextPing else { return [] }
        let answered = pings.prefix { $0.number <= number }.map(\.ping)
        pings.removeFirst(answered.count)
        return answered
    }

    /// Nobody waits for that ping any more.
    package mutating func forgetPing(where matches: (Ping) -> Bool) {
        pings.removeAll { matches($0.ping) }
    }

    private mutating func takeNumber() -> UInt64 {
        defer { nextPing += 1 }
        return nextPing
    }

    // MARK: Keep-alive

    /// The peer has shown that it is there.
    package mutating func heard(at now: Int64) { lastHeard = max(lastHeard, now) }

    /// What keep-alive calls for now; `nil` when the limits have none.
    ///
    /// - Parameter isHeldBack: Whether this side does not read, so that the silence is its own.
    package mutating func keepAlive(at now: Int64, isHeldBack: Bool) -> KeepAliveStep? {
        guard let keepAlive = limits.keepAlive else { return nil }
        guard phase == .open else { return .over }
        if isHeldBack { heard(at: now) }
        let interval = keepAlive.interval.clampedNanoseconds
        let end = lastHeard.addingClamped(keepAlive.silence.clampedNanoseconds)
        if now >= end { return .silent }
        let due = max(lastHeard, lastAsked).addingClamped(interval)
        if now < due { return .wait(until: min(due, end)) }
        lastAsked = now
        return .ping(takeNumber(), next: min(now.addingClamped(interval), end))
    }

    /// How the end of a connection is explained whose peer was silent for too long.
    package var silence: String { "nothing came for \(limits.keepAlive?.silence ?? .zero)" }
}

extension Duration {
    /// At least 1 ns, at most about 292 years.
    fileprivate var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflows { return seconds < 0 ? 1 : .max }
        return Swift.max(whole.addingClamped(attoseconds / 1_000_000_000), 1)
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
