/// One end of a session after both sides have found each other: eight ordered channels in each direction, and the question
/// whether the other side is still there.
///
/// A value without sockets and clocks: whoever drives it hands in what arrives from the peer's own address and the time, and
/// sends what ``takePackets()`` returns. What it keeps is bounded by its limits, whatever the peer sends.
package struct Session: Sendable {
    /// A piece of a channel's stream, as one packet carried it.
    package struct Arrival: Sendable, Hashable {
        package var channel: UInt8
        package var bytes: ArraySlice<UInt8>
    }

    /// Why a session is over.
    package enum End: Sendable, Hashable {
        case closedHere
        case closedByPeer
        /// Nothing has come from the peer for too long.
        case silent
        /// The peer has not acknowledged a packet for too long.
        case unacknowledged(channel: UInt8)
        /// A packet of the peer has been missing for too long.
        case gap(channel: UInt8)
    }

    /// What went through the session.
    package struct Statistics: Sendable, Hashable {
        package var received = 0
        package var duplicates = 0
        /// Packets that came before one that belongs before them.
        package var disordered = 0
        package var refused = 0
        package var resent = 0
    }

    private let limits: SessionLimits
    private var outgoing: [OutgoingChannel]
    private var incoming: [IncomingChannel]
    private var packets: [Packet] = []
    private var acks: [[UInt16]]
    /// Whether acknowledgements wait for no others.
    private var areAcksDue = false
    /// How many acknowledgements wait for each other now.
    private var joinedAcks: Int
    /// Whether so many came together since the last tick.
    private var haveAcksJoined = false
    private var arrivals: [Arrival] = []
    private var lastHeard: ContinuousClock.Instant
    private var nextAlive: ContinuousClock.Instant
    /// Why it is over; `nil` while it goes on.
    package private(set) var end: End?
    package private(set) var statistics = Statistics()

    /// - Parameters:
    ///   - limits: Times and bounds.
    ///   - now: When both sides had found each other.
    ///   - first: The index of the first packet of every channel, which is 0 except in tests.
    package init(_ limits: SessionLimits, at now: ContinuousClock.Instant, first: UInt16 = 0) {
        self.limits = limits
        joinedAcks = limits.joinedAcks
        let channels = Int(SessionLimits.channels)
        outgoing = Array(repeating: OutgoingChannel(first: first), count: channels)
        incoming = Array(repeating: IncomingChannel(first: first), count: channels)
        acks = Array(repeating: [], count: channels)
        lastHeard = now
        nextAlive = now + limits.aliveInterval
    }

    // MARK: What comes in

    /// Takes a packet that came from the peer's own address.
    package mutating func receive(_ packet: Packet, at now: ContinuousClock.Instant) {
        guard end == nil else { return }
        lastHeard = now
        switch packet {
        case .data(let channel, let index, let data):
            guard channel < SessionLimits.channels else { return }
            let place = Int(channel)
            let verdict = incoming[place].take(index, data, at: now, limits, of: channel, to: &arrivals)
            statistics.received += 1
            if verdict == .refused {
                statistics.refused += 1
                return
            }
            if verdict == .early { statistics.disordered += 1 }
            if verdict == .duplicate {
                statistics.duplicates += 1
                areAcksDue = true
            }
            acks[Int(channel)].append(index)
        case .dataAck(let channel, let indices):
            guard channel < SessionLimits.channels else { return }
            for index in indices { outgoing[Int(channel)].acknowledge(index) }
            send(channel, at: now)
        case .alive: packets.append(.aliveAck)
        case .close:
            end = .closedByPeer
            packets.append(.closeAck)
        default: break
        }
    }

    // MARK: What goes out

    /// Queues a message for a channel, cut into packets; a message begins with a packet of its own.
    ///
    /// - Returns: Whether there was room; nothing of it is sent otherwise.
    package mutating func write(_ bytes: [UInt8], to channel: UInt8, at now: ContinuousClock.Instant) -> Bool
    {
        guard end == nil, channel < SessionLimits.channels,
            outgoing[Int(channel)].write(bytes, limits)
        else { return false }
        send(channel, at: now)
        return true
    }

    /// Bytes that wait until the peer has acknowledged what was sent before.
    package func waitingBytes(of channel: UInt8) -> Int { outgoing[Int(channel)].waitingBytes }

    /// Whether everything that was written has been acknowledged.
    package var isAcknowledged: Bool { outgoing.allSatisfy(\.isIdle) }

    private mutating func send(_ channel: UInt8, at now: ContinuousClock.Instant) {
        for (index, data) in outgoing[Int(channel)].due(at: now, limits) {
            packets.append(.data(channel: channel, index: index, data))
        }
    }

    /// Does what is due: sends packets again, asks whether the peer is there, and gives up.
    package mutating func tick(at now: ContinuousClock.Instant) {
        guard end == nil else { return }
        noteWaitingAcks()
        areAcksDue = true
        if now >= lastHeard + limits.silence {
            end = .silent
            return
        }
        for channel in 0..<SessionLimits.channels {
            let place = Int(channel)
            if outgoing[place].isLost(at: now, limits) {
                end = .unacknowledged(channel: channel)
                return
            }
            if incoming[place].isLost(at: now, limits) {
                end = .gap(channel: channel)
                return
            }
            let before = packets.count
            send(channel, at: now)
            statistics.resent += packets.count - before
        }
        if now >= nextAlive {
            nextAlive = now + limits.aliveInterval
            packets.append(.alive)
            joinedAcks = min(2 * joinedAcks, limits.joinedAcks)
        }
    }

    /// Fewer acknowledgements wait for each other when the peer may stand still for want of them.
    private mutating func noteWaitingAcks() {
        let areWaiting = acks.dropFirst().contains { !$0.isEmpty }
        if areWaiting, !haveAcksJoined { joinedAcks = max(1, joinedAcks / 2) }
        haveAcksJoined = false
    }

    /// Ends the session and tells the peer; said three times, since nobody answers.
    package mutating func close() {
        guard end == nil else { return }
        end = .closedHere
        packets += [.close, .close, .close]
    }

    // MARK: What its driver takes

    /// The packets to send now, acknowledgements first.
    package mutating func takePackets() -> [Packet] {
        var taken: [Packet] = []
        for channel in acks.indices where !acks[channel].isEmpty {
            let isJoined = limits.joinsAcks && channel != 0
            if acks[channel].count >= joinedAcks { haveAcksJoined = true }
            if isJoined, !areAcksDue, acks[channel].count < joinedAcks, end == nil { continue }
            let size = isJoined ? 64 : 1
            var rest = acks[channel][...]
            while !rest.isEmpty {
                taken.append(.dataAck(channel: UInt8(channel), Array(rest.prefix(size))))
                rest = rest.dropFirst(size)
            }
            acks[channel].removeAll(keepingCapacity: true)
        }
        areAcksDue = false
        taken += packets
        packets = []
        return taken
    }

    /// What has arrived in order since the last call.
    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }
}
