public import Concurrency
package import Foundation
public import GRDB
internal import Synchronization

/// A durable first-in-first-out queue of work that must take effect exactly once or be reported failed.
///
/// Adding is on the disk before ``enqueue(_:identity:)`` returns. An entry goes from pending to uploading, and on
/// success to completed (its receipt stored), then, once the effect has recorded the receipt, out of the
/// queue. What was uploading when the process died is pending again at the next opening, unless that has happened three
/// times in a row: then it is set aside as failed, so that it cannot keep the others from their turn. What was completed
/// is recorded again. What has failed for a passing reason until its repetitions were used up is tried again after
/// another entry's success and at the next opening: then the outage is over. One opening of a queue works at a time: a newer one takes over the entries in work, and
/// settlements of the older one are ignored.
///
/// When the other side asks to wait before the next attempt, as servers do with `Retry-After`, nothing of the queue is
/// attempted before that time: neither the entry that was refused nor any other. The wait is on the disk, bounded by
/// `longestServerWait` of its policy, and ended by ``retry(_:)``.
public final class Outbox<Payload: Codable & Sendable>: Sendable {
    private typealias State = OutboxEntry<Payload>.State

    private let database: AppDatabase
    private let name: String
    private let policy: RetryPolicy
    private let watchers = Mutex<[@Sendable (OutboxChange) -> Void]>([])
    /// Held from the write until its watchers were told, so that they see changes in the order of the commits.
    private let order = Mutex(())
    /// Raised when there may be work; for the one worker of this queue.
    let wake: WakeSignal = WakeSignal()

    /// Opens a queue and makes interrupted work pending again.
    ///
    /// - Parameters:
    ///   - database: The file that holds it; several queues may share one.
    ///   - name: The queue's name in that file.
    ///   - policy: Automatic repetitions of transient failures; by default three, after 1, 2 and 4 seconds.
    public init(
        database: AppDatabase,
        name: String,
        policy: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) throws(DatabaseFailure) {
        self.database = database
        self.name = name
        self.policy = policy
        try database.apply(OutboxRow.schema)
        try database.write("recover the queue \(name)") {
            try OutboxRow.recover(queue: name, $0)
            _ = try OutboxRow.revive(queue: name, $0)
        }
    }

    // MARK: Adding and looking

    /// Adds work durably; work of the same identity that is still in the queue is returned unchanged instead.
    ///
    /// - Throws: ``DatabaseFailure``; the work was then not accepted.
    @discardableResult
    public func enqueue(_ payload: Payload, identity: String) throws(DatabaseFailure) -> OutboxEntry<Payload>
    {
        let entry = try commit("add “\(identity)” to the queue \(name)") { database in
            try self.add(payload, identity, database)
        }
        wake.raise()
        return entry
    }

    /// Adds work, or makes a failed entry of the same identity pending again, in one transaction with a change of the
    /// caller's.
    ///
    /// - Parameter change: Makes the other change, and says what work that asks for; `nil` for none.
    /// - Returns: Whether work was asked for.
    /// - Throws: ``DatabaseFailure``; neither the change was made then nor the work accepted.
    @discardableResult
    public func request(
        with change: (Database) throws -> (identity: String, payload: Payload)?
    ) throws(DatabaseFailure) -> Bool {
        let isAccepted = try commit("add to the queue \(name)") { database in
            guard let (identity, payload) = try change(database) else { return (false, []) }
            let (entry, changes) = try self.add(payload, identity, database)
            guard entry.state == .failed else { return (true, changes) }
            return (true, try self.makePending(entry.id, identity, database))
        }
        if isAccepted { wake.raise() }
        return isAccepted
    }

    /// The entry of that identity, or the new one.
    private func add(
        _ payload: Payload,
        _ identity: String,
        _ database: Database
    ) throws -> (OutboxEntry<Payload>, [OutboxChange]) {
        if let found = try OutboxRow.find(identity, queue: name, database) {
            if let entry = try? Self.entry(found) { return (entry, []) }
            // A damaged entry cannot be worked on; what was asked for now takes its place.
            try OutboxRow.delete(found["id"], database)
        }
        let row = try OutboxRow.insert(
            queue: name,
            identity: identity,
            payload: JSONEncoder().encode(payload),
            now: Date(),
            database
        )
        return (try row.entry(), [OutboxChange(identity: identity, event: .pending)])
    }

    /// All entries, oldest first, but for those that are damaged.
    public func entries() throws(DatabaseFailure) -> [OutboxEntry<Payload>] {
        try database.read("list the queue \(name)") { database in
            let hold = try OutboxHold.current(queue: self.name, now: Date(), database)
            return try OutboxRow.all(queue: self.name, database).compactMap { row in
                guard var entry = try? Self.entry(row) else { return nil }
                if entry.state == .failed, let due = entry.due, let hold { entry.due = max(due, hold.until) }
                return entry
            }
        }
    }

    /// The entry of that identity, in a reading of the caller's; `nil` when there is none, or when it is damaged.
    public func entry(_ identity: String, in database: Database) throws -> OutboxEntry<Payload>? {
        try OutboxRow.find(identity, queue: name, database).flatMap { try? Self.entry($0) }
    }

    /// The readable entries, oldest first, in a reading of the caller's.
    public func entries(in database: Database) throws -> [OutboxEntry<Payload>] {
        try OutboxRow.all(queue: name, database).compactMap { try? Self.entry($0) }
    }

    /// What is wrong with entries that cannot be read, oldest first.
    ///
    /// They stay where they are: nothing works on them, and adding work of the same identity brings it back.
    public func damages() throws(DatabaseFailure) -> [String] {
        try database.read("look for damage in the queue \(name)") { database in
            try OutboxRow.all(queue: self.name, database).compactMap { row in
                do {
                    _ = try Self.entry(row)
                    return nil
                } catch { return "entry \(row["id"] as DatabaseValue) of the queue \(self.name): \(error)" }
            }
        }
    }

    /// Calls `watcher` after every later change, in order, for as long as the queue exists.
    ///
    /// The call comes from whatever task made the change; it must be short and must not use the queue.
    public func watch(_ watcher: @escaping @Sendable (OutboxChange) -> Void) {
        watchers.withLock { $0.append(watcher) }
    }

    // MARK: On request

    /// Makes a failed entry pending again, with a fresh count of automatic repetitions; false when it had not failed.
    @discardableResult
    public func retry(_ identity: String) throws(DatabaseFailure) -> Bool {
        let found = try commit("retry “\(identity)” in the queue \(name)") { database in
            guard let row = try self.find(identity, database),
                row.state == OutboxEntry<Payload>.State.failed.rawValue
            else { return (false, []) }
            return (true, try self.makePending(row.id, identity, database))
        }
        if found { wake.raise() }
        return found
    }

    private func makePending(
        _ id: Int64,
        _ identity: String,
        _ database: Database
    ) throws -> [OutboxChange] {
        try OutboxRow.makePending(id, freshSeries: true, database)
        try OutboxHold.end(queue: name, database)
        return [OutboxChange(identity: identity, event: .pending)]
    }

    /// Drops an entry that is not being worked on; false when there is none or it is in work.
    @discardableResult
    public func remove(_ identity: String) throws(DatabaseFailure) -> Bool {
        try commit("drop “\(identity)” from the queue \(name)") { database in
            guard let row = try self.find(identity, database), row.lease == nil
            else { return (false, []) }
            try OutboxRow.delete(row.id, database)
            return (true, [OutboxChange(identity: identity, event: .removed)])
        }
    }

    /// Drops entries, also those in work and those that are damaged, in one transaction with a change of the caller's.
    ///
    /// What is in work goes on, and its settlement is ignored; ``OutboxWorker/withdraw(_:replacing:with:)`` ends it as well.
    ///
    /// - Parameter replacement: What is to be done in the place of an entry, last in the queue; it gets the entry's identity, and
    ///   the entry where there is one that can be read.
    package func withdraw(
        _ identities: [String],
        replacing replacement: (String, OutboxEntry<Payload>?) throws -> Payload? = { _, _ in nil },
        with change: (Database) throws -> Void
    ) throws(DatabaseFailure) {
        let hasWork = try commit("withdraw \(identities.count) entries from the queue \(name)") { database in
            try change(database)
            var changes: [OutboxChange] = []
            var hasWork = false
            for identity in identities {
                let row = try OutboxRow.find(identity, queue: self.name, database)
                let entry = row.flatMap { try? Self.entry($0) }
                if let row { try OutboxRow.delete(row["id"], database) }
                if let payload = try replacement(identity, entry) {
                    hasWork = true
                    changes += try self.add(payload, identity, database).1
                } else if row != nil {
                    changes.append(OutboxChange(identity: identity, event: .removed))
                }
            }
            return (hasWork, changes)
        }
        if hasWork { wake.raise() }
    }

    /// Drops entries from the other queues whose names begin with `prefix`, in a transaction of the caller's.
    ///
    /// For those on which nobody works, such as the queues of other services for the same things.
    ///
    /// - Returns: What was dropped and can be read: the rest of the queue's name, and the entry.
    package func dropFromOthers(
        _ identities: [String],
        prefix: String,
        _ database: Database
    ) throws -> [(suffix: String, entry: OutboxEntry<Payload>)] {
        var dropped: [(suffix: String, entry: OutboxEntry<Payload>)] = []
        for identity in identities {
            for row in try OutboxRow.find(identity, queuesBeginning: prefix, butFor: name, database) {
                try OutboxRow.delete(row["id"], database)
                guard let queue = row["queue"] as String?, let entry = try? Self.entry(row) else { continue }
                dropped.append((String(queue.dropFirst(prefix.count)), entry))
            }
        }
        return dropped
    }

    /// Adds work to another queue, on which nobody works, in a transaction of the caller's; its next opening does it.
    package func add(
        _ payload: Payload,
        identity: String,
        toQueue queue: String,
        _ database: Database
    ) throws {
        _ = try OutboxRow.insert(
            queue: queue,
            identity: identity,
            payload: JSONEncoder().encode(payload),
            now: Date(),
            database
        )
    }

    // MARK: Working

    /// Takes the oldest entry that may be worked on; `nil` when there is none now.
    ///
    /// A failed entry whose time has come passes through pending. Times further away than the longest wait
    /// come from a clock that was set back, and count as come. While the other side has asked to wait, only
    /// work that is done and not recorded yet is taken.
    package func claim(now: Date = Date()) throws(DatabaseFailure) -> OutboxClaim<Payload>? {
        let farthest = now.addingTimeInterval(policy.farthestSeconds)
        return try commit("take work from the queue \(name)") { database in
            let isHeld = try OutboxHold.current(queue: self.name, now: now, database) != nil
            guard
                let row = try self.nextReadable(now: now, farthest: farthest, onlyDone: isHeld, database)
            else { return (nil, []) }
            let lease = UUID()
            guard row.receipt == nil else {
                try OutboxRow.lease(row.id, lease, database)
                return (OutboxClaim(entry: try row.entry(), lease: lease, receipt: row.receipt), [])
            }
            let wasFailed = row.state == OutboxEntry<Payload>.State.failed.rawValue
            try OutboxRow.begin(row.id, lease, database)
            var entry: OutboxEntry<Payload> = try row.entry()
            entry.state = .uploading
            entry.attempts += 1
            entry.due = nil
            let changes: [OutboxChange.Event] = wasFailed ? [.pending, .uploading] : [.uploading]
            return (
                OutboxClaim(entry: entry, lease: lease, receipt: nil),
                changes.map { OutboxChange(identity: row.identity, event: $0) }
            )
        }
    }

    /// The oldest entry that may be worked on, past those that are damaged: they are marked as failed, so that none of
    /// them is in the way of the others.
    private func nextReadable(
        now: Date,
        farthest: Date,
        onlyDone: Bool,
        _ database: Database
    ) throws -> OutboxRow? {
        while let next = try OutboxRow.next(
            queue: name,
            now: now,
            farthest: farthest,
            onlyDone: onlyDone,
            database
        ) {
            do {
                _ = try Self.entry(next)
                return try OutboxRow(next)
            } catch {
                try OutboxRow.quarantine(next["id"], error: "the stored entry is damaged: \(error)", database)
            }
        }
        return nil
    }

    private func find(_ identity: String, _ database: Database) throws -> OutboxRow? {
        try OutboxRow.find(identity, queue: name, database).map { try OutboxRow($0) }
    }

    private static func entry(_ row: Row) throws -> OutboxEntry<Payload> { try OutboxRow(row).entry() }

    /// Stores the receipt of work that is done, and makes pending again what an outage has made fail; false when the claim is no longer valid.
    package func complete(
        _ claim: OutboxClaim<Payload>,
        receipt: Data
    ) throws(DatabaseFailure) -> Bool {
        try commit("complete “\(claim.entry.identity)” in the queue \(name)") { database in
            guard try OutboxRow.complete(claim.entry.id, claim.lease, receipt, database) else {
                return (false, [])
            }
            let revived = try OutboxRow.revive(queue: self.name, database)
            return (
                true,
                [OutboxChange(identity: claim.entry.identity, event: .completed)]
                    + revived.map { OutboxChange(identity: $0, event: .pending) }
            )
        }
    }

    /// Takes finished and recorded work out of the queue; false when the claim is no longer valid.
    package func finish(_ claim: OutboxClaim<Payload>) throws(DatabaseFailure) -> Bool {
        try commit("remove “\(claim.entry.identity)” from the queue \(name)") { database in
            guard try OutboxRow.holds(claim.entry.id, claim.lease, database) else { return (false, []) }
            try OutboxRow.delete(claim.entry.id, database)
            return (true, [OutboxChange(identity: claim.entry.identity, event: .removed)])
        }
    }

    /// Stores a failure and plans the next attempt; false when the claim is no longer valid.
    ///
    /// - Parameter retryAfter: How long the other side asks to leave it alone after a transient failure.
    package func fail(
        _ claim: OutboxClaim<Payload>,
        error: String,
        isTransient: Bool,
        retryAfter: Duration? = nil,
        now: Date = Date()
    ) throws(DatabaseFailure) -> Bool {
        let stored = try commit("note a failure of “\(claim.entry.identity)” in the queue \(name)") {
            database in
            guard let row = try self.find(claim.entry.identity, database),
                row.lease == claim.lease
            else { return (false, []) }
            let wait = isTransient ? self.policy.jitteredWait(beforeRetry: row.seriesFailures + 1) : nil
            let due = wait.map { now.addingTimeInterval($0 / .seconds(1)) }
            try OutboxRow.fail(row.id, error: error, isTransient: isTransient, due: due, database)
            if isTransient, let wait = self.policy.jitteredServerWait(retryAfter) {
                try OutboxHold(from: now, for: wait).store(queue: self.name, database)
            }
            let event = OutboxChange.Event.failed(
                error: error,
                failures: row.failures + 1,
                retriesItself: due != nil
            )
            return (true, [OutboxChange(identity: row.identity, event: event)])
        }
        return stored
    }

    /// Leaves a completed entry for a later try at recording it.
    package func postpone(_ claim: OutboxClaim<Payload>, now: Date = Date()) throws(DatabaseFailure) {
        let due = now.addingTimeInterval(policy.longest / .seconds(1))
        try database.write("postpone “\(claim.entry.identity)” in the queue \(name)") {
            try OutboxRow.postpone(claim.entry.id, claim.lease, due: due, $0)
        }
    }

    /// Gives a claim back untouched, as if it had not been taken.
    package func release(_ claim: OutboxClaim<Payload>) throws(DatabaseFailure) {
        try commit("give back “\(claim.entry.identity)” to the queue \(name)") { database in
            guard try OutboxRow.holds(claim.entry.id, claim.lease, database) else { return ((), []) }
            try OutboxRow.makePending(claim.entry.id, freshSeries: false, database)
            return ((), [OutboxChange(identity: claim.entry.identity, event: .pending)])
        }
    }

    /// How long until the next entry may be worked on; `nil` when none is waiting for a time.
    package func waitForNext(now: Date = Date()) throws(DatabaseFailure) -> Duration? {
        let (failed, done, hold) = try database.read("read the next time of the queue \(name)") { database in
            (
                try OutboxRow.earliestDue(queue: self.name, state: State.failed.rawValue, database),
                try OutboxRow.earliestDue(queue: self.name, state: State.completed.rawValue, database),
                try OutboxHold.current(queue: self.name, now: now, database)
            )
        }
        func seconds(until due: Date) -> Double {
            let seconds = due.timeIntervalSince(now)
            return seconds > policy.farthestSeconds ? 0 : max(0, seconds)
        }
        // What the hold keeps back may also be work that has no time of its own.
        let held = hold.map { $0.until.timeIntervalSince(now) } ?? failed.map { seconds(until: $0) }
        let waits = [held, done.map { seconds(until: $0) }].compactMap { $0 }
        return waits.min().map { .seconds($0) }
    }

    /// Writes in one transaction, then tells the watchers.
    private func commit<Value: Sendable>(
        _ operation: String,
        _ body: (Database) throws -> (Value, [OutboxChange])
    ) throws(DatabaseFailure) -> Value {
        try order.withLock { (_) throws(DatabaseFailure) in
            let (value, changes) = try database.write(operation, body)
            let watchers = self.watchers.withLock { $0 }
            for change in changes { for watcher in watchers { watcher(change) } }
            return value
        }
    }
}

extension RetryPolicy {
    /// The longest wait with all its jitter, in seconds, and a little for rounding.
    fileprivate var farthestSeconds: Double { (longest / .seconds(1)) * (1 + jitter) + 1 }
}
