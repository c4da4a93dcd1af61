/// The sending end of one channel: numbers packets, keeps those that are not acknowledged, and sends them again.
struct OutgoingChannel {
    private struct Unacknowledged {
        var index: UInt16
        var data: ArraySlice<UInt8>
        var firstSent: ContinuousClock.Instant
        var dueAgain: ContinuousClock.Instant
        var times: Int
    }

    /// In the order of their indices.
    private var unacknowledged: [Unacknowledged] = []
    private var waiting: [ArraySlice<UInt8>] = []
    /// How many of ``waiting`` have been sent.
    private var sent = 0
    private var nextIndex: UInt16
    private(set) var waitingBytes = 0

    /// - Parameter first: The index of the first packet, which is 0 except in tests.
    init(first: UInt16 = 0) { nextIndex = first }

    var isIdle: Bool { unacknowledged.isEmpty && sent == waiting.count }

    /// Queues a message.
    ///
    /// - Returns: Whether there was room; nothing of it is queued otherwise.
    mutating func write(_ bytes: [UInt8], _ limits: SessionLimits) -> Bool {
        guard waitingBytes + bytes.count <= limits.waitingBytes else { return false }
        waitingBytes += bytes.count
        var rest = bytes[...]
        while !rest.isEmpty {
            waiting.append(rest.prefix(limits.chunkBytes))
            rest = rest.dropFirst(limits.chunkBytes)
        }
        return true
    }

    mutating func acknowledge(_ index: UInt16) {
        guard let place = unacknowledged.firstIndex(where: { $0.index == index }) else { return }
        unacknowledged.remove(at: place)
    }

    /// The packets to send now: new ones as far as the window has room, and those that were not acknowledged in time.
    mutating func due(at now: ContinuousClock.Instant, _ limits: SessionLimits) -> [(
        UInt16, ArraySlice<UInt8>
    )] {
        var due: [(UInt16, ArraySlice<UInt8>)] = []
        for place in unacknowledged.indices where unacknowledged[place].dueAgain <= now {
            unacknowledged[place].times += 1
            let patience = limits.resendAfter * (1 << min(2, unacknowledged[place].times))
            unacknowledged[place].dueAgain = now + patience
            due.append((unacknowledged[place].index, unacknowledged[place].data))
        }
        // The window is one of indices, so that the receiver need keep no more than it ahead.
        while sent < waiting.count,
            unacknowledged.first.map({ Int(nextIndex &- $0.index) < limits.window }) ?? true
        {
            let data = waiting[sent]
            sent += 1
            waitingBytes -= data.count
            due.append((nextIndex, data))
            unacknowledged.append(
                Unacknowledged(
                    index: nextIndex,
                    data: data,
                    firstSent: now,
                    dueAgain: now + limits.resendAfter,
                    times: 0
                )
            )
            nextIndex &+= 1
        }
        if sent == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            sent = 0
        } else if sent > 1024 {
            waiting.removeFirst(sent)
            sent = 0
        }
        return due
    }

    /// Whether a packet has not been acknowledged for too long.
    func isLost(at now: ContinuousClock.Instant, _ limits: SessionLimits) -> Bool {
        unacknowledged.first.map { $0.firstSent + limits.lostAfter <= now } ?? false
    }
}
