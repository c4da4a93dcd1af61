internal import Concurrency
package import Foundation
package import GRDB

extension Outbox {
    private typealias State = OutboxEntry<Work>.State

    /// Takes the oldest entry that may be worked on; `nil` when there is none now.
    ///
    /// A failed entry whose time has come passes through pending. Times further away than the longest wait
    /// come from a clock that was set back, and count as come. While the other side has asked to wait, only
    /// work that is done and not recorded yet is taken.
    package func claim(now: Date = Date()) throws(DatabaseFailure) -> OutboxClaim<Work>? {
        // A queue in which nothing waits costs no transaction.
        let isThereAny = try database.read("look for work in the queue \(name)") { database in
            try checkOpening(database)
            return try lanes.isAnyWaiting(database) || isForgettingDue(now, database)
        }
        guard isThereAny else { return nil }
        return try database.write("take work from the queue \(name)") { database in
            try checkOpening(database)
            if try isForgettingDue(now, database) {
                for kind in forgettingKinds { try forget(kind, now: now, database) }
            }
            if let revival = try lanes.earliestRevival(database), hasCome(revival, now) {
                try revive(database)
            }
            let isHeld = try OutboxHold.current(queue: name, now: now, database) != nil
            while let next = try next(now: now, onlyDone: isHeld, database) {
                let row: OutboxRow
                let entry: OutboxEntry<Work>
                do {
                    row = try OutboxRow(next)
                    entry = try row.entry()
                } catch {
                    try setAside(next, error, now: now, database)
                    continue
                }
                if let claim = try take(row, entry, now: now, database) { return claim }
            }
            return nil
        }
    }

    /// The oldest entry that may be worked on, of any kind of which not as many are in work as may be.
    private func next(now: Date, onlyDone: Bool, _ database: Database) throws -> Row? {
        let farthest = now + farthestSeconds
        if onlyDone {
            return try lanes.nextDone(version: Work.version, now: now, farthest: farthest, database)
        }
        let isAnySuspected = try lanes.isSuspectInWork(database)
        let rows = try kindsInOrder.compactMap { kind -> Row? in
            guard try lanes.mayTake(kind, concurrency: policy(kind).concurrency, database) else { return nil }
            return try lanes.next(
                kind,
                version: Work.version,
                butForSuspects: isAnySuspected,
                now: now,
                farthest: farthest,
                database
            )
        }
        return rows.min { ($0["id"] as Int64? ?? .max) < ($1["id"] as Int64? ?? .max) }
    }

    /// Begins work; `nil` where it is too late for that.
    private func take(
        _ row: OutboxRow,
        _ entry: OutboxEntry<Work>,
        now: Date,
        _ database: Database
    ) throws -> OutboxClaim<Work>? {
        let lease = UUID.drawn()
        let policy = policy(row.kind)
        var claim = OutboxClaim(entry: entry, lease: lease, receipt: row.receipt, policy: policy)
        guard row.receipt == nil else {
            try row.lease(lease, database)
            return claim
        }
        if let expires = row.expires, expires <= now {
            if row.isSuperseded {
                try OutboxRow.delete(row.id, database)
            } else {
                try OutboxRow.setAside(row.id, OutboxReason<Work.Failure>.expired, now: now, database)
            }
            try lanes.settle(row.lane, database)
            note(row, .failed(.expired, failures: row.failures, retriesItself: false), database)
            try forget(row.kind, now: now, database)
            return nil
        }
        try row.begin(lease, database)
        claim.checkpoint = row.checkpoint
        claim.entry.state = .inWork
        claim.entry.attempts &+= 1
        claim.entry.due = nil
        if row.state == State.failed.rawValue { note(row, .pending, database) }
        note(row, .started, database)
        return claim
    }

    /// Takes a damaged entry out of the way of the others.
    private func setAside(_ row: Row, _ damage: any Error, now: Date, _ database: Database) throws {
        let reason = OutboxReason<Work.Failure>.noted("the stored entry is damaged: \(damage)")
        try OutboxRow.setAside(row["id"], reason, now: now, database)
        if let lane = try? row.checked("lane") as String { try lanes.settle(lane, database) }
        guard let identity = try? row.checked("identity") as String else { return }
        let event = OutboxChange<Work>.Event.failed(reason, failures: 0, retriesItself: false)
        note([OutboxChange(identity: identity, event: event)], hasWork: true, database)
    }

    private func claimed(_ claim: OutboxClaim<Work>, _ database: Database) throws -> OutboxRow? {
        guard let row = try OutboxRow.find(claim.entry.id, database),
            let lease = try? row.checked("lease") as String,
            lease == claim.lease.uuidString
        else { return nil }
        do { return try OutboxRow(row) } catch {
            // It was damaged while it was in work: nothing can be said of it any more.
            try setAside(row, error, now: Date(), database)
            return nil
        }
    }

    /// Whether a claim is still valid.
    func holds(_ claim: OutboxClaim<Work>) throws(DatabaseFailure) -> Bool {
        try database.read("look for “\(claim.entry.identity)” in the queue \(name)") {
            try OutboxRow.holds(claim.entry.id, claim.lease, $0)
        }
    }

    /// Saves a checkpoint of work under way; progress begins a new series of failures.
    ///
    /// - Throws: ``DatabaseFailure``, `takenOver` when the claim is no longer valid.
    package func save(
        _ checkpoint: Data,
        progress: Int? = nil,
        of claim: OutboxClaim<Work>
    ) throws(DatabaseFailure) {
        let operation = "save a checkpoint of “\(claim.entry.identity)” in the queue \(name)"
        let path = database.path
        try database.write(operation) { database in
            guard try OutboxRow.save(checkpoint, progress, claim.entry.id, claim.lease, database) else {
                let detail = "the entry was cancelled, or another opening of the queue has taken it over"
                throw DatabaseFailure(.takenOver, operation: operation, path: path, detail: detail)
            }
            // Nothing has changed for those who wait for ends, and something for those who look at the entry.
            note([], database)
        }
    }

    /// Records work that is done and takes it out of the queue, in one transaction, and makes pending again what an outage has made
    /// fail; false when the claim is no longer valid.
    ///
    /// Where it cannot be recorded, the receipt is kept for a later try, in a transaction of its own: where the process ends between the two, the
    /// work is repeated under its key.
    package func finish(
        _ claim: OutboxClaim<Work>,
        receipt: Data,
        now: Date = Date(),
        recording: (Database) throws -> Void
    ) throws(DatabaseFailure) -> Bool {
        let operation = "finish “\(claim.entry.identity)” in the queue \(name)"
        var recordingFailed = false
        do throws(DatabaseFailure) {
            return try database.write(operation) { database in
                guard let row = try complete(claim, receipt, now: now, database) else { return false }
                do { try recording(database) } catch {
                    recordingFailed = true
                    throw error
                }
                try OutboxRow.delete(row.id, database)
                note(row, .removed, database)
                try settle(row, of: claim, database)
                return true
            }
        } catch {
            guard recordingFailed else { throw error }
        }
        // All of it was undone. In a transaction of its own, since a savepoint in the first would cost each success two statements more.
        return try database.write(operation) { database in
            guard let row = try complete(claim, receipt, now: now, database) else { return false }
            try settle(row, of: claim, database)
            return true
        }
    }

    /// Makes an entry done, and due to be recorded later: it stays so where it cannot be recorded now; `nil` when the claim is no longer valid.
    private func complete(
        _ claim: OutboxClaim<Work>,
        _ receipt: Data,
        now: Date,
        _ database: Database
    ) throws -> OutboxRow? {
        guard let row = try claimed(claim, database) else { return nil }
        try row.complete(receipt, due: now + claim.policy.retries.longest / .seconds(1), database)
        if claim.receipt == nil { note(row, .done, database) }
        return row
    }

    /// Gives others their turn after work that is done.
    private func settle(_ row: OutboxRow, of claim: OutboxClaim<Work>, _ database: Database) throws {
        try lanes.settle(row.lane, database)
        // A success shows that the outage is over; a recording does not.
        if claim.receipt == nil { try revive(database) }
    }

    /// Stores a failure and plans the next attempt; false when the claim is no longer valid.
    ///
    /// - Parameter retryAfter: How long the other side asks to leave it alone after a transient failure.
    package func fail(
        _ claim: OutboxClaim<Work>,
        _ reason: OutboxReason<Work.Failure>,
        isTransient: Bool,
        retryAfter: Duration? = nil,
        now: Date = Date()
    ) throws(DatabaseFailure) -> Bool {
        try database.write("note a failure of “\(claim.entry.identity)” in the queue \(name)") { database in
            guard let row = try claimed(claim, database) else { return false }
            let retries = claim.policy.retries
            if isTransient, let wait = retries.jitteredServerWait(retryAfter) {
                try OutboxHold(from: now, for: wait).store(queue: name, database)
            }
            let wait = isTransient ? retries.jitteredWait(beforeRetry: row.seriesFailures &+ 1) : nil
            let due = wait.map { now + $0 / .seconds(1) }
            var waits = isTransient
            var revives: Date?
            switch claim.policy.exhaustion {
            case .waits(let limit?) where due == nil: revives = now + limit / .seconds(1)
            case .waits: break
            case .fails: waits = due != nil
            }
            // The newer wish that follows takes its place, unless it may still take effect.
            if row.isSuperseded, !waits {
                try OutboxRow.delete(row.id, database)
            } else {
                try row.fail(
                    reason,
                    isTransient: waits,
                    due: due,
                    revives: isTransient ? revives : nil,
                    now: now,
                    database
                )
                note(row, .failed(reason, failures: row.failures &+ 1, retriesItself: due != nil), database)
                if !waits { try forget(row.kind, now: now, database) }
            }
            try lanes.settle(row.lane, database)
            return true
        }
    }

    /// Gives a claim back untouched, as if it had not been taken.
    package func release(_ claim: OutboxClaim<Work>) throws(DatabaseFailure) {
        try database.write("give back “\(claim.entry.identity)” to the queue \(name)") { database in
            guard let row = try claimed(claim, database) else { return }
            try row.makePending(freshSeries: false, database)
            note(row, .pending, database)
            try lanes.settle(row.lane, database)
        }
    }

    // MARK: Forgetting

    /// Removes what has failed for good and is kept no longer.
    private func forget(_ kind: String, now: Date, _ database: Database) throws {
        let gone = try lanes.forget(kind, policy(kind), now: now, database)
        // Also where no name of what is gone can be read.
        note(gone.map { OutboxChange(identity: $0, event: .removed) }, database)
    }

    private func isForgettingDue(_ now: Date, _ database: Database) throws -> Bool {
        try earliestForgetting(database).map { $0 <= now } ?? false
    }

    private func earliestForgetting(_ database: Database) throws -> Date? {
        try forgettingKinds.compactMap { try lanes.earliestForgetting($0, policy($0), database) }.min()
    }

    // MARK: Changes

    private func note(_ row: OutboxRow, _ event: OutboxChange<Work>.Event, _ database: Database) {
        // What was superseded speaks for its identity no more.
        guard !row.isSuperseded else { return }
        note([OutboxChange(identity: row.identity, event: event)], database)
    }

    // MARK: Times

    /// How long until the next entry may be worked on, or is kept no longer; `nil` when none is waiting for a time.
    package func waitForNext(now: Date = Date()) throws(DatabaseFailure) -> Duration? {
        let work = try waitForWork(now: now)
        guard !forgettingKinds.isEmpty else { return work }
        let forgetting = try database.read("read what the queue \(name) keeps") {
            try earliestForgetting($0).map { Duration.seconds(max(0, $0.timeIntervalSince(now))) }
        }
        guard let work else { return forgetting }
        return min(work, forgetting ?? work)
    }

    private func waitForWork(now: Date) throws(DatabaseFailure) -> Duration? {
        let (turn, recording, hold) = try database.read("read the next time of the queue \(name)") {
            (database: Database) -> (Date?, Date?, OutboxHold?) in
            // What is in work has no time: its end is the next thing that comes.
            guard try lanes.isAnyWaiting(database) else {
                return (nil, nil, try OutboxHold.current(queue: name, now: now, database))
            }
            // Where as much is in work as may be, its end comes first.
            let kinds = try kindsInOrder.filter {
                try lanes.mayTake($0, concurrency: policy($0).concurrency, database)
            }
            let turns = try kinds.map { try lanes.earliestTurn($0, version: Work.version, database) }
            return (
                (turns + [try lanes.earliestRevival(database)]).compactMap(\.self).min(),
                try lanes.earliestRecording(version: Work.version, database),
                try OutboxHold.current(queue: name, now: now, database)
            )
        }
        func seconds(until due: Date) -> Double { hasCome(due, now) ? 0 : due.timeIntervalSince(now) }
        guard let hold else { return turn.map { .seconds(seconds(until: $0)) } }
        // What the hold keeps back may also be work that has no time of its own; recordings go on.
        let held = hold.until.timeIntervalSince(now)
        return .seconds(recording.map { min(held, seconds(until: $0)) } ?? held)
    }

    /// Whether a time has come, or is so far away that it comes from a clock that was set back.
    private func hasCome(_ time: Date, _ now: Date) -> Bool {
        time <= now || time > now + farthestSeconds
    }

    /// The longest wait of any kind, with all its jitter, in seconds, and a little for rounding.
    private var farthestSeconds: Double {
        kindsInOrder.map { policy($0) }.map { policy in
            var longest = (policy.retries.longest / .seconds(1)) * (1 + policy.retries.jitter)
            if case .waits(let limit?) = policy.exhaustion { longest = max(longest, limit / .seconds(1)) }
            return longest + 1
        }.max() ?? 1
    }
}
