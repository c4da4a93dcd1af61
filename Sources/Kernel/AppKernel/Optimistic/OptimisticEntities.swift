public import Concurrency
internal import Foundation
public import GRDB
internal import Synchronization

/// What a service said last of its entities, with what the user did since: seen the same wherever it is shown.
///
/// There is no list of changes beside the queue: an entity is its base, the last word of the service, with the changes of the entries that the
/// queue has of it, in their order. So an entry that has failed for good, or was cancelled, takes its own change along and no
/// other; one that is done leaves the queue in the transaction that makes its result the base; and after a restart everything is as before.
///
/// A change is visible to ``entity(_:in:)`` within its transaction, and to those who watch ``published(_:)`` soon after it, while ``run()`` runs.
public final class OptimisticEntities<Work: OptimisticWork>: Sendable {
    private let outbox: Outbox<Work>
    private let base: OptimisticBase
    private let wake = WakeSignal()
    private let shown = Mutex<[String: CurrentValue<Work.Entity?>]>([:])

    /// Opens what is known beside a queue, and rebuilds it from there.
    ///
    /// - Throws: ``DatabaseFailure``.
    public init(_ outbox: Outbox<Work>) throws(DatabaseFailure) {
        self.outbox = outbox
        base = OptimisticBase(queue: outbox.name)
        try outbox.database.apply(OptimisticBase.steps)
        outbox.watch { [wake] _ in wake.raise() }
    }

    // MARK: Looking

    /// An entity as it is to be shown, in a reading of the caller's; `nil` where the service has said nothing of it.
    public func entity(_ name: String, in database: Database) throws -> Work.Entity? {
        try entity(name, try changes(in: database), database)
    }

    /// An entity as it is shown: one value for all that ask for it.
    ///
    /// - Throws: ``DatabaseFailure``, where it cannot be read for the first time.
    public func published(_ name: String) throws(DatabaseFailure) -> Published<Work.Entity?> {
        if let known = shown.withLock({ $0[name] }) { return known.published }
        let present = try outbox.database.read("read “\(name)” of the queue \(outbox.name)") {
            try entity(name, in: $0)
        }
        let value = shown.withLock { shown in
            let value = shown[name] ?? CurrentValue(present, backlog: 1)
            shown[name] = value
            return value
        }
        // It may have changed between the reading and the noting.
        wake.raise()
        return value.published
    }

    /// Shows what has changed, until the task is cancelled.
    ///
    /// At most one call at a time. Where the database cannot be read, what is shown stays, until the next change.
    public func run() async {
        while !Task.isCancelled {
            try? refresh()
            _ = await wake.wait()
        }
    }

    /// Shows now what has changed.
    ///
    /// - Throws: ``DatabaseFailure``; what is shown stays.
    public func refresh() throws(DatabaseFailure) {
        let names = shown.withLock { $0.keys.sorted() }
        let present = try outbox.database.read("read the entities of the queue \(outbox.name)") { database in
            let changes = try changes(in: database)
            return try names.map { try entity($0, changes, database) }
        }
        for (name, entity) in zip(names, present) {
            guard let value = shown.withLock({ $0[name] }), value.value != entity else { continue }
            value.set(entity)
        }
    }

    /// The work that changes each entity, in its order; what has failed for good changes nothing.
    private func changes(in database: Database) throws -> [String: [Work]] {
        let pending = try outbox.entries(in: database).filter { !$0.isFinal && $0.work.entity != nil }
        return Dictionary(grouping: pending.map(\.work)) { $0.entity ?? "" }
    }

    private func entity(_ name: String, _ changes: [String: [Work]], _ database: Database) throws -> Work
        .Entity?
    {
        guard let data = try base.value(of: name, database) else { return nil }
        var entity = try JSONDecoder().decode(Work.Entity.self, from: data)
        for work in changes[name] ?? [] { work.change(&entity) }
        return entity
    }

    // MARK: What the service says

    /// Begins a reading; to be called before the service is asked.
    ///
    /// - Throws: ``DatabaseFailure``.
    public func reading() throws(DatabaseFailure) -> OptimisticReading {
        try outbox.database.write("begin a reading for the queue \(outbox.name)") { database in
            OptimisticReading(era: try base.era(database), version: try base.nextVersion(database))
        }
    }

    /// Keeps what a reading has found, as far as nothing newer is known: neither the result of work that was done since the reading
    /// began, nor the answer to a reading that began later, nor, after ``forgetAll(in:)``, anything.
    ///
    /// - Throws: ``DatabaseFailure``.
    public func keep(_ found: [String: Work.Entity], of reading: OptimisticReading) throws(DatabaseFailure) {
        try outbox.database.write("keep what the service says for the queue \(outbox.name)") { database in
            guard try base.era(database) == reading.era else { return }
            for (name, entity) in found.sorted(by: { $0.key < $1.key }) {
                let value = try JSONEncoder().encode(entity)
                try base.keep(value, of: name, version: reading.version, database)
            }
        }
        wake.raise()
    }

    /// Makes what the service has answered to work the base of its entity; for the effect's recording.
    ///
    /// - Parameters:
    ///   - result: The entity as the service has it now; `nil` where its answer does not say, and the change itself is made on the base.
    ///   - work: What was done.
    ///   - database: The database, in the transaction in which the entry leaves the queue.
    public func record(_ result: Work.Entity?, of work: Work, in database: Database) throws {
        guard let name = work.entity else { return }
        var entity = result
        if entity == nil, let known = try base.value(of: name, database) {
            entity = try JSONDecoder().decode(Work.Entity.self, from: known)
            if var changed = entity {
                work.change(&changed)
                entity = changed
            }
        }
        guard let entity else { return }
        let value = try JSONEncoder().encode(entity)
        try base.keep(value, of: name, version: try base.nextVersion(database), database)
    }

    /// Forgets everything, the queue's entries too, in the caller's transaction, as when somebody signs out.
    ///
    /// Attempts under way are cancelled when it commits; neither their answers nor those to readings that have begun bring anything back.
    public func forgetAll(in database: Database) throws {
        try outbox.cancelAll(in: database)
        try base.forget(database)
        database.afterNextTransaction { [wake] _ in wake.raise() }
    }
}
