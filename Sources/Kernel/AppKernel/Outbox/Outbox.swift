internal import Concurrency
internal import Foundation
public import GRDB
internal import Synchronization

/// A durable queue of work that must take effect exactly once or be reported failed.
///
/// Adding is on the disk before ``add(_:identity:)`` returns. An entry goes from pending to in work, and on success out of the queue, in
/// the transaction in which its effect records the receipt; where that fails it is done, and recorded later. What was in work when
/// the process died is pending again at the next opening, unless that has happened three times in a row: then it is set
/// aside as failed, so that it cannot keep the others from their turn. Of what was in work then, one entry is done at a time, so that each
/// answers for itself alone. What has failed for a passing reason until its repetitions
/// were used up is tried again after another entry's success, at the next opening, when the network is back, or when its policy's time has
/// passed: then the outage is over.
///
/// Entries of one lane are done one after the other, in the order of adding; lanes go on side by side, as many as the policy allows. An
/// entry that waits for a repetition keeps its lane waiting, one that has failed for good does not.
///
/// When the other side asks to wait before the next attempt, as servers do with `Retry-After`, nothing of the queue is
/// attempted before that time: neither the entry that was refused nor any other. The wait is on the disk, bounded by
/// `longestServerWait` of the policy, and ended by ``retry(_:)``.
///
/// One opening of a queue works at a time: a newer one takes over the entries in work, and what the older one still asks for is refused with
/// ``DatabaseFailure/Code/takenOver``. A process that would rather wait for the end of the older one opens the database with
/// ``AppDatabase/alone(path:durability:waitingAtMost:)``.
///
/// Calls with a `Database` are part of the caller's transaction, which must be one of this queue's database; watchers and worker
/// learn of them when it commits. They must not be in a savepoint that is undone by itself.
public final class Outbox<Work: OutboxWork>: Sendable {
    /// The queue's name in its database.
    public let name: String

    let database: AppDatabase
    let lanes: OutboxLanes
    /// Raised when there may be work; for the one worker of this queue.
    let wake: WakeSignal = WakeSignal()
    private let own: OutboxPolicy
    private let kinds: [String: OutboxPolicy]
    /// The kinds whose failures are kept for a time, in a fixed order.
    let forgettingKinds: [String]
    /// Counts the openings of this queue in the database.
    private let opening: Int
    private let watchers = Mutex<[@Sendable (OutboxChange<Work>) -> Void]>([])
    /// Counts the commits of this process that have changed the queue.
    private let committed = CurrentValue(0, backlog: 1)
    /// The number of the last commit of this process that has changed the queue.
    var commits: Published<Int> { committed.published }
    /// What the transaction under way changes.
    private let uncommitted = Mutex(Uncommitted())
    /// Ends attempts, by the number of their entry.
    private let attempts = Mutex<[Int64: @Sendable () -> Void]>([:])

    private struct Uncommitted {
        var isObserved = false
        var changes: [OutboxChange<Work>] = []
        var hasWork = false
        var cancelled: [Int64] = []
    }

    /// Opens a queue and makes interrupted work pending again.
    ///
    /// - Parameters:
    ///   - database: The file that holds it; several queues may share one.
    ///   - name: The queue's name in that file.
    ///   - policy: Of work whose kind has none of its own.
    ///   - kinds: Policies of kinds of work, see ``OutboxWork/kind``.
    /// - Throws: ``DatabaseFailure``, `newerVersion` where a newer version of the app has made the file.
    public init(
        database: AppDatabase,
        name: String,
        policy: OutboxPolicy = OutboxPolicy(),
        kinds: [String: OutboxPolicy] = [:]
    ) throws(DatabaseFailure) {
        self.database = database
        self.name = name
        self.kinds = kinds.merging(["": policy]) { own, _ in own }
        own = self.kinds[""] ?? policy
        forgettingKinds = self.kinds.filter { $0.value.retention != nil }.keys.sorted()
        lanes = OutboxLanes(queue: name)
        try database.apply(OutboxSchema.steps, whole: OutboxSchema.whole)
        opening = try database.write("recover the queue \(name)") { [lanes, kinds = self.kinds] database in
            let number = try Int.fetchOne(
                database,
                sql: """
                    INSERT INTO outboxOpening VALUES (?, 1)
                    ON CONFLICT (queue) DO UPDATE SET number = number + 1 RETURNING number
                    """,
                arguments: [name]
            )
            guard try lanes.isAnyEntry(database) else { return number ?? 1 }
            try lanes.adopt(butFor: Set(kinds.keys), database)
            let now = Date()
            try lanes.recover(now: now, database)
            _ = try lanes.revive(database)
            for (kind, policy) in kinds { _ = try lanes.forget(kind, policy, now: now, database) }
            return number ?? 1
        }
    }

    /// The policy of a kind.
    func policy(_ kind: String) -> OutboxPolicy { kinds[kind] ?? own }

    /// The kinds with a policy of their own, and the one without; in a fixed order.
    var kindsInOrder: [String] { kinds.keys.sorted() }

    // MARK: Adding

    /// Adds work durably; work of the same identity that is still in the queue is returned unchanged instead.
    ///
    /// - Throws: ``DatabaseFailure``; the work was then not accepted.
    @discardableResult
    public func add(_ work: Work, identity: String) throws(DatabaseFailure) -> OutboxEntry<Work> {
        try database.write("add “\(identity)” to the queue \(name)") {
            try add(work, identity: identity, in: $0)
        }
    }

    /// Adds work in the caller's transaction; work of the same identity that is still in the queue is returned unchanged instead.
    @discardableResult
    public func add(_ work: Work, identity: String, in database: Database) throws -> OutboxEntry<Work> {
        if let entry = try insertion(of: work, identity).insert(ifNewestIs: opening, database) {
            note([OutboxChange(identity: identity, event: .pending)], hasWork: true, database)
            return entry
        }
        try checkOpening(database)
        if let found = try OutboxRow.find(identity, queue: name, database) {
            if let entry = try? Self.entry(found) { return entry }
            if let version = try? found.checked("version") as Int, version > Work.version {
                throw DatabaseFailure(
                    .newerVersion,
                    operation: "add “\(identity)” to the queue \(name)",
                    path: self.database.path,
                    detail: "there is work of version \(version), and this program knows \(Work.version)"
                )
            }
            // A damaged entry cannot be worked on; what was asked for now takes its place.
            try delete(found, database)
        }
        return try insert(work, identity, database)
    }

    /// Adds work in the place of what was asked for before under its identity, in the caller's transaction.
    ///
    /// What was not attempted yet goes, and what has failed for good. What is in work, or was attempted with an end that is not known, may
    /// take effect at any time: it is repeated until its end is known, and the new work, which must be of the same lane, follows it.
    ///
    /// - Returns: The new entry, with a key of its own.
    @discardableResult
    public func supersede(_ work: Work, identity: String, in database: Database) throws -> OutboxEntry<Work> {
        try checkOpening(database)
        if let found = try OutboxRow.find(identity, queue: name, database) {
            if let row = try? OutboxRow(found), row.mayTakeEffect {
                try row.supersede(database)
                if row.lease == nil {
                    // The new work does not wait for what the old one has waited for.
                    try row.makePending(freshSeries: true, database)
                    try lanes.settle(row.lane, database)
                }
            } else {
                try delete(found, database)
            }
        }
        return try insert(work, identity, database)
    }

    /// Adds work in the place of what was asked for before under its identity, in the caller's transaction, and ends that also where it
    /// is in work.
    ///
    /// The attempt under way is cancelled when the transaction commits, and its outcome ignored: it may still take effect, also while
    /// the new work is done.
    ///
    /// - Returns: The new entry, with a key of its own.
    @discardableResult
    public func replace(_ work: Work, identity: String, in database: Database) throws -> OutboxEntry<Work> {
        try checkOpening(database)
        for found in try OutboxRow.findAll(identity, queue: name, database) { try delete(found, database) }
        return try insert(work, identity, database)
    }

    private func insert(_ work: Work, _ identity: String, _ database: Database) throws -> OutboxEntry<Work> {
        let entry = try insertion(of: work, identity).insert(database)
        note([OutboxChange(identity: identity, event: .pending)], hasWork: true, database)
        return entry
    }

    private func insertion(of work: Work, _ identity: String) -> OutboxInsertion<Work> {
        let kind = kinds[work.kind] == nil ? "" : work.kind
        let now = Date()
        let expires = policy(kind).expiry.map { now + $0 / .seconds(1) }
        return OutboxInsertion(
            work: work,
            identity: identity,
            queue: name,
            kind: kind,
            expires: expires,
            now: now
        )
    }

    // MARK: Looking

    /// All entries, oldest first, but for those that are damaged.
    public func entries() throws(DatabaseFailure) -> [OutboxEntry<Work>] {
        try database.read("list the queue \(name)") { database in
            let hold = try OutboxHold.current(queue: name, now: Date(), database)
            return try entries(in: database).map { entry in
                var entry = entry
                if entry.state == .failed, let due = entry.due, let hold { entry.due = max(due, hold.until) }
                return entry
            }
        }
    }

    /// The readable entries, oldest first, in a reading of the caller's.
    public func entries(in database: Database) throws -> [OutboxEntry<Work>] {
        try OutboxRow.all(queue: name, database).compactMap { try? Self.entry($0) }
    }

    /// The entry of that identity, in a reading of the caller's; `nil` when there is none, or when it is damaged.
    public func entry(_ identity: String, in database: Database) throws -> OutboxEntry<Work>? {
        try OutboxRow.find(identity, queue: name, database).flatMap { try? Self.entry($0) }
    }

    /// What is wrong with entries that cannot be read, oldest first.
    ///
    /// They stay where they are: nothing works on them, and adding work of the same identity brings it back.
    public func damages() throws(DatabaseFailure) -> [String] {
        try database.read("look for damage in the queue \(name)") { database in
            try OutboxRow.all(queue: name, database).compactMap { row in
                do {
                    _ = try Self.entry(row)
                    return nil
                } catch { return "entry \(row["id"] as DatabaseValue) of the queue \(name): \(error)" }
            }
        }
    }

    static func entry(_ row: Row) throws -> OutboxEntry<Work> { try OutboxRow(row).entry() }

    /// Calls `watcher` after every later change, in order, for as long as the queue exists.
    ///
    /// The call comes from whatever task made the change; it must be short and must not use the database.
    public func watch(_ watcher: @escaping @Sendable (OutboxChange<Work>) -> Void) {
        watchers.withLock { $0.append(watcher) }
    }

    // MARK: On request

    /// Makes a failed entry pending again, with a fresh count of automatic repetitions; false when it had not failed.
    @discardableResult
    public func retry(_ identity: String) throws(DatabaseFailure) -> Bool {
        try database.write("retry “\(identity)” in the queue \(name)") { try retry(identity, in: $0) }
    }

    /// Makes a failed entry pending again in the caller's transaction; as ``retry(_:)``.
    @discardableResult
    public func retry(_ identity: String, in database: Database) throws -> Bool {
        try checkOpening(database)
        guard let row = try OutboxRow.find(identity, queue: name, database).map({ try OutboxRow($0) }),
            row.state == OutboxEntry<Work>.State.failed.rawValue
        else { return false }
        try lanes.withdrawTurn(row.lane, database)
        try row.makePending(freshSeries: true, database)
        try lanes.settle(row.lane, database)
        try OutboxHold.end(queue: name, database)
        note([OutboxChange(identity: identity, event: .pending)], hasWork: true, database)
        return true
    }

    /// Makes pending again what has failed for a reason that is gone, such as a key that was corrected.
    ///
    /// - Returns: How many entries that are.
    @discardableResult
    public func retryAll(where isGone: (OutboxReason<Work.Failure>) -> Bool) throws(DatabaseFailure) -> Int {
        try database.write("retry what has failed in the queue \(name)") { database in
            try entries(in: database).count { entry in
                guard entry.state == .failed, let reason = entry.reason, isGone(reason) else { return false }
                return try retry(entry.identity, in: database)
            }
        }
    }

    /// Makes pending again what an outage has made fail, because it may be over: the app is in the foreground again, or the network back.
    public func revive() throws(DatabaseFailure) {
        try database.write("revive the queue \(name)") { database in
            try checkOpening(database)
            try revive(database)
        }
        wake.raise()
    }

    func revive(_ database: Database) throws {
        let revived = try lanes.revive(database)
        note(revived.map { OutboxChange(identity: $0, event: .pending) }, hasWork: !revived.isEmpty, database)
    }

    /// Drops an entry that is not being worked on; false when there is none or it is in work.
    @discardableResult
    public func remove(_ identity: String) throws(DatabaseFailure) -> Bool {
        try database.write("drop “\(identity)” from the queue \(name)") { database in
            try checkOpening(database)
            guard let row = try OutboxRow.find(identity, queue: name, database),
                (row["lease"] as DatabaseValue).isNull
            else { return false }
            try delete(row, database)
            note([OutboxChange(identity: identity, event: .removed)], database)
            return true
        }
    }

    /// Drops an entry in the caller's transaction, also one that is in work or damaged, and what it has superseded; false when there is none.
    ///
    /// The attempt under way is cancelled when the transaction commits, and its outcome ignored: it may still take effect, also while
    /// the next one of its lane is done.
    @discardableResult
    public func cancel(_ identity: String, in database: Database) throws -> Bool {
        try checkOpening(database)
        let found = try OutboxRow.findAll(identity, queue: name, database)
        for row in found { try delete(row, database) }
        if !found.isEmpty { note([OutboxChange(identity: identity, event: .removed)], database) }
        return !found.isEmpty
    }

    /// Drops all entries in the caller's transaction, as ``cancel(_:in:)`` does each: also those in work, superseded or damaged.
    public func cancelAll(in database: Database) throws {
        try checkOpening(database)
        for row in try OutboxRow.everything(queue: name, database) {
            try delete(row, database)
            guard let identity = try? row.checked("identity") as String,
                try row.checked("isSuperseded") == false
            else { continue }
            note([OutboxChange(identity: identity, event: .removed)], database)
        }
    }

    private func delete(_ row: Row, _ database: Database) throws {
        let id: Int64 = try row.checked("id")
        // Another one of its lane may have the turn now.
        note([], hasWork: true, database)
        uncommitted.withLock { $0.cancelled.append(id) }
        try OutboxRow.delete(id, database)
        if let lane = try? row.checked("lane") as String { try lanes.settle(lane, database) }
    }

    // MARK: Other queues

    /// Drops entries from the other queues whose names begin with `prefix`, in the caller's transaction.
    ///
    /// For those on which nobody works, such as the queues of other services for the same things.
    ///
    /// - Returns: What was dropped and can be read: the rest of the queue's name, and the entry.
    package func dropFromOthers(
        _ identities: [String],
        prefix: String,
        _ database: Database
    ) throws -> [(suffix: String, entry: OutboxEntry<Work>)] {
        var dropped: [(suffix: String, entry: OutboxEntry<Work>)] = []
        for identity in identities {
            for row in try OutboxRow.find(identity, queuesBeginning: prefix, butFor: name, database) {
                try OutboxRow.delete(row["id"], database)
                guard let queue = try? row.checked("queue") as String else { continue }
                if let lane = try? row.checked("lane") as String {
                    try OutboxLanes(queue: queue).settle(lane, database)
                }
                guard let entry = try? Self.entry(row) else { continue }
                dropped.append((String(queue.dropFirst(prefix.count)), entry))
            }
        }
        return dropped
    }

    /// Adds work to another queue, on which nobody works, in the caller's transaction; its next opening does it.
    package func add(_ work: Work, identity: String, toQueue queue: String, _ database: Database) throws {
        _ = try OutboxInsertion(
            work: work,
            identity: identity,
            queue: queue,
            kind: work.kind,
            now: Date()
        ).insert(database)
    }

    // MARK: Transactions

    /// Refuses what an opening asks for that is not the newest.
    func checkOpening(_ database: Database) throws {
        let newest = try Int.fetchOne(
            database.cachedStatement(sql: "SELECT number FROM outboxOpening WHERE queue = ?"),
            arguments: [name]
        )
        guard newest == opening else {
            throw DatabaseFailure(
                .takenOver,
                operation: "work on the queue \(name)",
                path: self.database.path,
                detail: "opening \(opening) of the queue is not the newest, \(newest ?? 0)"
            )
        }
    }

    /// Keeps changes until the transaction has committed, and then tells them to watchers and worker.
    func note(_ changes: [OutboxChange<Work>], hasWork: Bool = false, _ database: Database) {
        let isFirst = uncommitted.withLock { uncommitted in
            uncommitted.changes += changes
            uncommitted.hasWork = uncommitted.hasWork || hasWork
            defer { uncommitted.isObserved = true }
            return !uncommitted.isObserved
        }
        guard isFirst else { return }
        database.afterNextTransaction { _ in
            self.publish(self.takeUncommitted())
        } onRollback: { _ in
            _ = self.takeUncommitted()
        }
    }

    private func takeUncommitted() -> Uncommitted {
        uncommitted.withLock { uncommitted in
            defer { uncommitted = Uncommitted() }
            return uncommitted
        }
    }

    private func publish(_ committed: Uncommitted) {
        let watchers = self.watchers.withLock { $0 }
        for change in committed.changes { for watcher in watchers { watcher(change) } }
        for id in committed.cancelled { attempts.withLock { $0[id] }?() }
        self.committed.update { $0 += 1 }
        if committed.hasWork { wake.raise() }
    }

    /// Notes how the attempt at an entry is ended, or with `nil` that it has ended.
    func setAttempt(of id: Int64, _ end: (@Sendable () -> Void)?) { attempts.withLock { $0[id] = end } }
}
