import Foundation
import PeerKit
import Synchronization

/// The state of a project, and the folder that keeps it.
///
/// Readers look at the state under a lock, which is never held over work on the disk. Changes are made one after
/// another: each is planned on the state of then, written to the folder, and only then shown to readers. So the
/// folder and the state go through the same steps, and an answer never reports what a restart would lose.
actor StateStore {
    nonisolated let archive: StorageArchive?
    private nonisolated let memory: Mutex<Memory>

    private struct Memory: ~Copyable {
        var state: StorageState
        var events = BoundedLog<StorageEvent>(capacity: SupabaseServer.eventCountMaximum)
    }

    /// What a request wants to change, and what its answer needs of the plan.
    struct Commit<Outcome: Sendable>: Sendable {
        var changes: [StorageState.Change] = []
        /// What to remember of the changes, in the same order; there may be fewer.
        var events: [StorageEvent] = []
        var outcome: Outcome
    }

    /// Makes a store with what its folder holds from earlier, and buckets that are missing.
    init(_ archive: StorageArchive?, _ budget: MemoryBudget, buckets: [StoredBucket]) throws {
        var state = try archive?.load(budget) ?? StorageState()
        let missing = buckets.filter { state.buckets[$0.id] == nil }.map { StorageState.Change.setBucket($0) }
        for change in missing { try archive?.write(change) }
        _ = state.apply(missing[...])
        self.archive = archive
        memory = Mutex(Memory(state: state))
    }

    /// What requests have done, oldest first.
    nonisolated var events: [StorageEvent] { memory.withLock { $0.events.entries } }

    /// Looks at the state as of now.
    nonisolated func read<Found: Sendable>(
        _ look: (borrowing StorageState) throws(StorageFailure) -> Found
    ) throws(StorageFailure) -> Found {
        try memory.withLock { memory throws(StorageFailure) in try look(memory.state) }
    }

    /// Bytes of all objects.
    nonisolated var byteCount: Int { memory.withLock { $0.state.byteCount } }

    /// The objects of a bucket, in the order of their keys.
    nonisolated func objects(in bucket: String) -> KeyMap<StoredObject> {
        memory.withLock { $0.state.objects(in: bucket) }
    }

    /// Remembers what changed nothing.
    nonisolated func remember(_ event: StorageEvent) { memory.withLock { $0.events.append(event) } }

    /// Makes the changes that have come due, if there are any.
    nonisolated func settle() async throws(StorageFailure) {
        guard try read({ !$0.due(at: Date()).isEmpty }) else { return }
        try await makeDue()
    }

    /// Plans changes on the state of now and makes them, as one step that no other change comes between.
    func commit<Outcome: Sendable>(
        _ plan: @Sendable (borrowing StorageState) throws(StorageFailure) -> Commit<Outcome>
    ) async throws(StorageFailure) -> Outcome {
        try makeDue()
        let commit = try read(plan)
        try make(commit.changes, commit.events)
        return commit.outcome
    }

    private func makeDue() throws(StorageFailure) {
        try make(try read { $0.due(at: Date()) }, [])
    }

    /// Makes changes in order, up to the first that cannot be written.
    private func make(_ changes: [StorageState.Change], _ events: [StorageEvent]) throws(StorageFailure) {
        if changes.isEmpty { return }
        var count = 0
        do {
            for change in changes {
                try archive?.write(change)
                count += 1
            }
        } catch {}
        let replaced = memory.withLock { memory in
            for event in events.prefix(count) { memory.events.append(event) }
            return memory.state.apply(changes.prefix(count))
        }
        for content in replaced { content.discard() }
        if count < changes.count { throw .unexpected("the folder cannot be written") }
    }
}
