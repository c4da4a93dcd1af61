/// Keeps the newest entries of a record.
///
/// Adding costs the same however many there are.
public struct BoundedLog<Entry> {
    /// The most entries that are kept.
    public let capacity: Int
    /// How many there have been.
    private var count = 0
    private var ring: [Entry] = []

    /// Makes an empty log.
    public init(capacity: Int) {
        precondition(capacity > 0, "a log keeps at least one entry")
        self.capacity = capacity
    }

    /// Adds an entry; past the capacity the oldest goes.
    public mutating func append(_ entry: Entry) {
        if ring.count < capacity { ring.append(entry) } else { ring[count % capacity] = entry }
        count += 1
    }

    /// The entry that goes when the next one is added; `nil` while there is room.
    public var leaving: Entry? { ring.count < capacity ? nil : ring[count % capacity] }

    /// The kept entries, oldest first.
    public var entries: [Entry] {
        let start = ring.count < capacity ? 0 : count % capacity
        return Array(ring[start...] + ring[..<start])
    }
}

extension BoundedLog: Sendable where Entry: Sendable {}
