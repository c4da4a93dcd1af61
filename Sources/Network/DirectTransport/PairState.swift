import Transport

/// The two ends of a pair.
enum PairSide: Sendable {
    case client
    case server

    var other: PairSide { self == .client ? .server : .client }
}

/// What travels from one end to the other.
enum PairItem: Sendable {
    case message(WebSocketEvent)
    case ping
}

/// What became of a send or a ping.
enum PairSendOutcome: Sendable {
    case passed
    case cancelled
    case ended(WebSocketClose)
}

/// The rules of a pair, without locks, tasks or waiting.
///
/// A call that cannot be answered at once registers its waiter, and a later call puts a ``Notice`` for it.
struct PairState {
    enum Notice: Sendable {
        case sent(waiter: Int, PairSendOutcome)
        /// `nil` when the wait was cancelled.
        case received(waiter: Int, WebSocketEvent?)
    }

    /// What flows towards one end.
    private struct Direction {
        let limits: WebSocketLimits
        var inbox = FIFO<WebSocketEvent>()
        /// Items that found the inbox full, in their order.
        var backlog = FIFO<(waiter: Int, item: PairItem)>()
        var receiver: Int?

        var hasRoom: Bool { inbox.count < max(1, limits.bufferedMessages) }
    }

    private var toClient: Direction
    private var toServer: Direction
    private var ending: WebSocketClose?
    private var notices: [Notice] = []

    init(clientLimits: WebSocketLimits, serverLimits: WebSocketLimits) {
        toClient = Direction(limits: clientLimits)
        toServer = Direction(limits: serverLimits)
    }

    /// Adds a notice to those that the current call produced.
    mutating func report(_ notice: Notice) { notices.append(notice) }

    /// The notices since the last call, oldest first.
    mutating func takeNotices() -> [Notice] {
        if notices.isEmpty { return [] }
        defer { notices = [] }
        return notices
    }

    /// Passes an item on; `nil` when there is no room, and then `waiter`, if given, is kept for later.
    mutating func send(_ item: PairItem, from side: PairSide, waiter: Int?) -> PairSendOutcome? {
        if let ending { return .ended(ending) }
        if case .message(let message) = item,
            message.byteCount > direction(to: side.other).limits.messageBytes
        {
            end(with: WebSocketClose(code: 1009, reason: "message too big"))
            return .passed
        }
        return update(to: side.other) { direction, notices in
            guard direction.backlog.isEmpty, direction.hasRoom else {
                if let waiter { direction.backlog.append((waiter, item)) }
                return nil
            }
            Self.pass(item, into: &direction, &notices)
            return .passed
        }
    }

    /// The next event for an end; `nil` when there is none yet, and then `waiter`, if given, is kept.
    mutating func receive(at side: PairSide, waiter: Int?) -> WebSocketEvent? {
        let ending = ending
        return update(to: side) { direction, notices in
            precondition(direction.receiver == nil, "one task at a time receives from a WebSocket")
            if let event = direction.inbox.popFirst() {
                Self.admitBacklog(of: &direction, &notices)
                return event
            }
            if let ending { return .closed(ending) }
            direction.receiver = waiter
            return nil
        }
    }

    mutating func cancelSend(from side: PairSide, waiter: Int) {
        update(to: side.other) { direction, notices in
            if direction.backlog.removeFirst(where: { $0.waiter == waiter }) {
                notices.append(.sent(waiter: waiter, .cancelled))
            }
        }
    }

    mutating func cancelReceive(at side: PairSide, waiter: Int) {
        update(to: side) { direction, notices in
            guard direction.receiver == waiter else { return }
            direction.receiver = nil
            notices.append(.received(waiter: waiter, nil))
        }
    }

    /// Ends both directions; the first end counts.
    mutating func end(with close: WebSocketClose) {
        guard ending == nil else { return }
        let close = WebSocketClose(code: close.code, reason: close.reason.prefix(utf8: 123))
        ending = close
        for side in [PairSide.server, .client] {
            update(to: side) { direction, notices in
                while let waiting = direction.backlog.popFirst() {
                    notices.append(.sent(waiter: waiting.waiter, .ended(close)))
                }
                if let receiver = direction.receiver {
                    direction.receiver = nil
                    notices.append(.received(waiter: receiver, .closed(close)))
                }
            }
        }
    }

    private static func pass(_ item: PairItem, into direction: inout Direction, _ notices: inout [Notice]) {
        guard case .message(let message) = item else { return }
        if let receiver = direction.receiver {
            direction.receiver = nil
            notices.append(.received(waiter: receiver, message))
        } else {
            direction.inbox.append(message)
        }
    }

    private static func admitBacklog(of direction: inout Direction, _ notices: inout [Notice]) {
        while direction.hasRoom, let waiting = direction.backlog.popFirst() {
            pass(waiting.item, into: &direction, &notices)
            notices.append(.sent(waiter: waiting.waiter, .passed))
        }
    }

    private func direction(to side: PairSide) -> Direction { side == .client ? toClient : toServer }

    private mutating func update<Result>(
        to side: PairSide,
        _ body: (inout Direction, inout [Notice]) -> Result
    ) -> Result {
        switch side {
        case .client: body(&toClient, &notices)
        case .server: body(&toServer, &notices)
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
