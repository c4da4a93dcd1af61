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

extension BoundedLog: Codable where Entry: Codable {
    private enum CodingKeys: String, CodingKey { case capacity, entries }

    /// Reads a log with the entries that were kept.
    ///
    /// - Throws: `DecodingError`, also for a capacity that is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        capacity = try container.decode(Int.self, forKey: .capacity)
        let entries = try container.decode([Entry].self, forKey: .entries)
        guard capacity > 0, entries.count <= capacity else {
            throw DecodingError.dataCorruptedError(
                forKey: .capacity,
                in: container,
                debugDescription: "a log keeps at least one entry, and no more than fit"
            )
        }
        (ring, count) = (entries, entries.count)
    }

    /// Writes the kept entries, oldest first.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(capacity, forKey: .capacity)
        try container.encode(entries, forKey: .entries)
    }
}
