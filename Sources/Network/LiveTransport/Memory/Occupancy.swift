import NIOCore

/// Bytes, and for how long they have been held: their sum over time, in bytes times seconds.
///
/// What is released takes its share of that sum along, so that a message which is whole soon leaves nothing behind, and
/// a few small ones in between hardly make a large one look newer. Who turns over as much as it holds counts as new.
struct Occupancy: Sendable {
    private(set) var bytes = 0
    private var byteSeconds = 0.0
    private var changed: NIODeadline

    init(at now: NIODeadline) { changed = now }

    mutating func add(_ count: Int, at now: NIODeadline) {
        advance(to: now)
        bytes += count
    }

    mutating func remove(_ count: Int, at now: NIODeadline) {
        advance(to: now)
        // Who takes an element may be ahead of who counts it.
        byteSeconds = bytes > count ? byteSeconds * Double(bytes - count) / Double(bytes) : 0
        bytes -= count
    }

    /// How much reason there is to take the bytes away: each counts for as long as it was held, and for a second at least.
    ///
    /// So size decides between peers that have just come, and time between those that stay: neither a quick peer with
    /// a large message nor a slow one with a small message stands before a peer that fills the memory or stands still in it.
    func claim(at now: NIODeadline) -> Double {
        var current = self
        current.advance(to: now)
        return current.byteSeconds + Double(bytes)
    }

    private mutating func advance(to now: NIODeadline) {
        // Threads read the clock before they wait for each other.
        guard now > changed else { return }
        byteSeconds += Double(max(0, bytes)) * Double((now - changed).nanoseconds) / 1e9
        changed = now
    }
}
