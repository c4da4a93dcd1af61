/// The receiving end of one channel: puts packets in order, and drops those that have come before.
struct IncomingChannel {
    /// What became of a packet.
    enum Verdict: Equatable {
        /// It is the next one.
        case taken
        /// It has come before one that belongs before it, and is kept until that has come.
        case early
        /// It has come before; it is acknowledged again, since the first acknowledgement may be lost.
        case duplicate
        /// There is no room for it; it is not acknowledged, so that it comes again.
        case refused
    }

    private var expected: UInt16
    private var ahead: [UInt16: ArraySlice<UInt8>] = [:]
    private var aheadBytes = 0
    /// Since when a packet has been missing; `nil` when none is.
    private var gapSince: ContinuousClock.Instant?

    /// - Parameter first: The index of the first packet, which is 0 except in tests.
    init(first: UInt16 = 0) { expected = first }

    /// Takes a packet, and tells what became of it.
    ///
    /// - Parameters:
    ///   - channel: The channel's number, which arrivals say.
    ///   - arrivals: What can be read now is appended, a piece for each packet.
    mutating func take(
        _ index: UInt16,
        _ data: ArraySlice<UInt8>,
        at now: ContinuousClock.Instant,
        _ limits: SessionLimits,
        of channel: UInt8,
        to arrivals: inout [Session.Arrival]
    ) -> Verdict {
        let distance = Int(index &- expected)
        // Half of all indices lie behind.
        if distance >= 0x8000 { return .duplicate }
        if distance == 0 {
            arrivals.append(.init(channel: channel, bytes: data))
            expected &+= 1
            // The usual case: nothing is missing.
            if ahead.isEmpty {
                gapSince = nil
                return .taken
            }
            while let next = ahead.removeValue(forKey: expected) {
                aheadBytes -= next.count
                arrivals.append(.init(channel: channel, bytes: next))
                expected &+= 1
            }
            gapSince = ahead.isEmpty ? nil : now
            return .taken
        }
        if ahead[index] != nil { return .duplicate }
        guard distance <= limits.aheadPackets, aheadBytes + data.count <= limits.aheadBytes else {
            return .refused
        }
        // A copy: the slice would keep its whole datagram, with whatever padding.
        ahead[index] = Array(data)[...]
        aheadBytes += data.count
        gapSince = gapSince ?? now
        return .early
    }

    /// Whether a packet has been missing for too long.
    func isLost(at now: ContinuousClock.Instant, _ limits: SessionLimits) -> Bool {
        gapSince.map { $0 + limits.lostAfter <= now } ?? false
    }
}
