/// The records that were heard on one interface, for as long as they may be kept.
///
/// Its size is bounded, whatever is sent: what finds no room is not kept, so that a flood does not push out what is known.
package struct RecordCache: Sendable {
    /// How much is kept.
    package struct Limits: Sendable, Hashable {
        /// Records of one name and type that stand beside each other, as pointers to instances do.
        package var sharedRecords = 256
        /// Records of one name and type where a service has few.
        package var uniqueRecords = 8
        /// Names and types.
        package var keys = 1_200
        /// Bytes of all records, roughly.
        package var bytes = 512 * 1_024

        package init() {}
    }

    /// A record, and until when it is kept.
    package struct Entry: Sendable, Hashable {
        package var record: ResourceRecord
        package var received: ContinuousClock.Instant
        package var expires: ContinuousClock.Instant
        /// Whether it ends without a further question: it was taken back, or another has taken its place.
        package var isLeaving = false
        /// Whether it ends unless somebody confirms it.
        package var isDoubted = false
        /// When it is to be asked for again; `nil` where it no longer is.
        var nextRefresh: ContinuousClock.Instant?
        var refreshes = 0

        /// When it ends or is to be asked for next.
        var nextEvent: ContinuousClock.Instant { min(expires, nextRefresh ?? expires) }

        /// How long it may be kept in all.
        var lifetime: Duration { .seconds(min(record.timeToLive, RecordCache.mostSeconds)) }
    }

    /// Nothing is kept longer without being heard again, whatever its sender says: 75 minutes, the usual lifetime of pointers.
    private static let mostSeconds: UInt32 = 4_500
    /// How long a record is kept that was taken back, or that another takes the place of (RFC 6762 sections 10.1 and 10.2).
    private static let farewell = Duration.seconds(1)
    /// At which parts of a lifetime a record is asked for again (RFC 6762 section 5.2).
    private static let refreshAt = [0.80, 0.85, 0.90, 0.95]
    /// By how much of a lifetime each of these questions is late at random.
    private static let refreshSpread = 0.02
    /// Shorter lifetimes are not asked for again: questions would come faster than answers.
    private static let leastRefreshed = Duration.seconds(10)

    private let limits: Limits
    private var sets: [RecordKey: [Entry]] = [:]
    private(set) package var byteCount = 0
    /// Another number whenever there is another set of records.
    private(set) var version = 0
    /// When something may end or is to be asked for next, or somewhat earlier; `nil` where there is nothing.
    private(set) package var nextEvent: ContinuousClock.Instant?

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// How many records there are.
    package var count: Int { sets.values.reduce(0) { $0 + $1.count } }

    /// What is known of a name and type, in the order in which it was first heard.
    package func entries(_ key: RecordKey) -> [Entry] { sets[key] ?? [] }

    /// All names and types, in no order.
    package var keys: some Sequence<RecordKey> { sets.keys }

    // MARK: Changes

    /// Takes a record that was heard.
    ///
    /// - Returns: Whether it was kept, renewed or taken back.
    @discardableResult
    package mutating func take(_ record: ResourceRecord, at now: ContinuousClock.Instant) -> Bool {
        let key = record.key
        if record.flushes { flushOthers(than: record, at: now) }
        let known = sets[key]?.firstIndex { $0.record.data == record.data }
        if record.timeToLive == 0 {
            guard let known else { return false }
            end(key, known, at: now + Self.farewell)
            return true
        }
        var entry = Entry(record: record, received: now, expires: now)
        entry.expires = now + entry.lifetime
        schedule(&entry)
        if let known {
            sets[key]?[known] = entry
            noteEvent(of: entry)
            return true
        }
        return insert(entry, key)
    }

    private mutating func insert(_ entry: Entry, _ key: RecordKey) -> Bool {
        let mostRecords = entry.record.flushes ? limits.uniqueRecords : limits.sharedRecords
        if sets[key]?.count ?? 0 >= mostRecords {
            // The newest of unique records is the one that counts.
            guard entry.record.flushes, let oldest = sets[key]?.first else { return false }
            remove(key) { $0.record.data == oldest.record.data }
        }
        let size = Self.size(of: entry.record)
        guard sets[key] != nil || sets.count < limits.keys, byteCount + size <= limits.bytes else {
            return false
        }
        byteCount += size
        version += 1
        sets[key, default: []].append(entry)
        noteEvent(of: entry)
        return true
    }

    /// Ends older records that another takes the place of, but for those that have come with it.
    private mutating func flushOthers(than record: ResourceRecord, at now: ContinuousClock.Instant) {
        let key = record.key
        for index in sets[key]?.indices ?? 0..<0 {
            guard let other = sets[key]?[index], other.record.data != record.data,
                now - other.received > Self.farewell
            else { continue }
            end(key, index, at: now + Self.farewell)
        }
    }

    private mutating func end(_ key: RecordKey, _ index: Int, at time: ContinuousClock.Instant) {
        guard var entry = sets[key]?[index] else { return }
        entry.expires = min(entry.expires, time)
        entry.nextRefresh = nil
        entry.isLeaving = true
        sets[key]?[index] = entry
        noteEvent(of: entry)
    }

    /// Ends what is known of a name and type at a time, unless it is heard again before.
    package mutating func doubt(_ key: RecordKey, until time: ContinuousClock.Instant) {
        for index in sets[key]?.indices ?? 0..<0 {
            guard var entry = sets[key]?[index] else { continue }
            entry.isDoubted = true
            entry.expires = min(entry.expires, time)
            sets[key]?[index] = entry
            noteEvent(of: entry)
        }
    }

    /// Forgets what has ended.
    ///
    /// - Returns: Whether there was any.
    package mutating func expire(at now: ContinuousClock.Instant) -> Bool {
        guard let nextEvent, nextEvent <= now else { return false }
        let ended = sets.filter { $0.value.contains { $0.expires <= now } }
        for key in ended.keys { remove(key) { $0.expires <= now } }
        findNextEvent()
        return !ended.isEmpty
    }

    /// Forgets records of a name and type.
    package mutating func remove(_ key: RecordKey, where isRemoved: (Entry) -> Bool = { _ in true }) {
        guard let entries = sets[key] else { return }
        let rest = entries.filter { !isRemoved($0) }
        guard rest.count < entries.count else { return }
        for entry in entries where isRemoved(entry) { byteCount -= Self.size(of: entry.record) }
        version += 1
        sets[key] = rest.isEmpty ? nil : rest
    }

    /// What a record takes, roughly: its bytes, and as many again for what holds it.
    private static func size(of record: ResourceRecord) -> Int {
        128 + 2 * (record.name.byteCount + record.data.canonicalBytes.count)
    }

    // MARK: Questions

    private func schedule(_ entry: inout Entry) {
        guard entry.refreshes < Self.refreshAt.count, entry.lifetime >= Self.leastRefreshed else {
            entry.nextRefresh = nil
            return
        }
        let part = Self.refreshAt[entry.refreshes] + .random(in: 0...Self.refreshSpread)
        entry.nextRefresh = entry.received + entry.lifetime * part
    }

    /// The names and types that are to be asked for again now; each question serves all records that are due soon.
    package mutating func takeDueRefreshes(at now: ContinuousClock.Instant) -> [RecordKey] {
        guard let nextEvent, nextEvent <= now else { return [] }
        let due = sets.filter { $0.value.contains { $0.nextRefresh.map { $0 <= now } ?? false } }.keys
            .sorted()
        for key in due {
            for index in sets[key]?.indices ?? 0..<0 {
                guard var entry = sets[key]?[index], let next = entry.nextRefresh,
                    next <= now + entry.lifetime * Self.refreshSpread
                else { continue }
                // One question is enough for all times that have passed.
                repeat {
                    entry.refreshes += 1
                    schedule(&entry)
                } while entry.nextRefresh.map { $0 <= now } ?? false
                sets[key]?[index] = entry
            }
        }
        findNextEvent()
        return due
    }

    /// The records of a name and type that one who asks knows already: those with more than half of their lifetime (RFC 6762 section 7.1).
    package func knownAnswers(_ key: RecordKey, at now: ContinuousClock.Instant) -> [ResourceRecord] {
        entries(key).compactMap { entry in
            let rest = entry.expires - now
            guard !entry.isDoubted, !entry.isLeaving, rest > entry.lifetime / 2 else { return nil }
            return ResourceRecord(
                entry.record.name,
                entry.record.data,
                timeToLive: UInt32(clamping: rest.components.seconds)
            )
        }
    }

    private mutating func noteEvent(of entry: Entry) {
        nextEvent = nextEvent.map { min($0, entry.nextEvent) } ?? entry.nextEvent
    }

    private mutating func findNextEvent() {
        nextEvent = sets.values.joined().lazy.map(\.nextEvent).min()
    }
}
