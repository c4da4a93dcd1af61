public import AppKernel
public import Concurrency
public import Foundation
internal import GRDB
internal import Services

/// The items that wait to be uploaded to one store or to be removed from it, and the worker that does it.
///
/// A removal has the entry of its item until the object is gone from the store: an item that was deleted is nowhere then.
///
/// Every store has a queue of its own in the database: what was asked of another one waits there until that is used again.
public final class UploadQueue: Sendable {
    /// The status of every item.
    public let statuses: UploadStatusStore = UploadStatusStore()

    /// What the names of the queues in the database begin with; the identity of the store follows.
    private static let prefix = "uploads@"

    private let database: AppDatabase
    private let outbox: Outbox<Upload>
    private let library: MediaLibrary
    private let worker: OutboxWorker<UploadService>
    /// The items that are to be removed from this store; their entries are nobody's uploads.
    private let removing = CurrentValue<Set<UUID>>([], backlog: 1)
    private let removalFailed = CurrentValue<UploadError?>(nil, backlog: 1)

    /// Opens the queue in the app's database; interrupted uploads wait again.
    public init(
        database: AppDatabase,
        library: MediaLibrary,
        service: UploadService,
        policy: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) throws(DatabaseFailure) {
        self.database = database
        self.library = library
        outbox = try Self.outbox(in: database, store: library.store, policy: policy)
        worker = OutboxWorker(outbox: outbox, effect: service)
        let removals = try outbox.entries().filter { $0.work.removal != nil }
        removing.set(Set(removals.map(\.work.mediaID)))
        if let failed = removals.first(where: { $0.state == .failed && $0.due == nil }) {
            removalFailed.set(UploadError(failed.reason ?? .noted("")))
        }
        outbox.watch { [statuses, removing, removalFailed] change in
            guard let id = UUID(uuidString: change.identity) else { return }
            guard removing.value.contains(id) else { return statuses.apply(change) }
            switch change.event {
            case .failed(let reason, _, retriesItself: false): removalFailed.set(UploadError(reason))
            case .removed:
                removing.update { $0.remove(id) }
                if removing.value.isEmpty { removalFailed.set(nil) }
            case .pending: removalFailed.set(nil)
            case .started, .done, .failed: break
            }
        }
    }

    /// The durable queue of a store.
    static func outbox(
        in database: AppDatabase,
        store: String,
        policy: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) throws(DatabaseFailure) -> Outbox<Upload> {
        let outbox = try Outbox<Upload>(
            database: database,
            name: prefix + store,
            policy: OutboxPolicy(retries: policy)
        )
        // Of what is in the queue of former versions nobody knows the store: it has to be asked for again.
        try database.apply([
            SchemaStep("uploads-2-stores", sql: "DELETE FROM outbox WHERE queue = 'uploads'")
        ])
        return outbox
    }

    /// Why the queue itself could not be read or written; `nil` when it could.
    public var failure: Published<DatabaseFailure?> { worker.failure }

    /// Adds an item durably, or makes one pending again that has failed; one that waits or is in work stays as it is.
    ///
    /// - Returns: False when the library has no such item, as after its deletion.
    @discardableResult
    public func add(_ item: MediaItem) throws(DatabaseFailure) -> Bool {
        try database.write("add an item to the uploads") { database in
            guard try library.setWantsUpload(item.id, in: database) else { return false }
            let identity = item.id.uuidString
            if try outbox.add(Upload(item), identity: identity, in: database).state == .failed {
                try outbox.retry(identity, in: database)
            }
            return true
        }
    }

    /// The items that were deleted, and are still to be removed from this store.
    public var removals: Published<Set<UUID>> { removing.published }

    /// Why a removal has failed that is not repeated by itself; `nil` where none has.
    public var removalFailure: Published<UploadError?> { removalFailed.published }

    /// Tries the removals again that have failed.
    public func retryRemovals() throws(DatabaseFailure) {
        for entry in try outbox.entries() where entry.work.removal != nil {
            try outbox.retry(entry.identity)
        }
    }

    /// Drops the uploads of items, to any store and also the one under way, and plans the removal of what was or may have been uploaded,
    /// in one transaction with a change of the caller's.
    ///
    /// What lies in another store is removed there when that store is used again.
    func withdraw(
        _ ids: Set<UUID>,
        with change: (Database) throws -> Void
    ) throws(DatabaseFailure) {
        let before = removing.value
        do throws(DatabaseFailure) {
            try database.write("withdraw \(ids.count) uploads") { try withdraw(ids, in: $0, with: change) }
        } catch {
            // Nothing was changed.
            removing.update { $0.subtract(ids.subtracting(before)) }
            throw error
        }
        statuses.forget(ids)
    }

    private func withdraw(
        _ ids: Set<UUID>,
        in database: Database,
        with change: (Database) throws -> Void
    ) throws {
        let identities = ids.map(\.uuidString)
        let uploaded = try library.uploaded(ids, in: database)
        try change(database)
        // What is not removed here waits for the store in which it lies.
        var elsewhere: [Elsewhere: Upload] = [:]
        for (store, entry) in try outbox.dropFromOthers(identities, prefix: Self.prefix, database) {
            elsewhere[Elsewhere(store, entry.identity)] = Self.removal(entry, nil, at: store)
        }
        for (identity, item) in uploaded where item.store != library.store {
            let removal = Self.removal(nil, item, at: item.store)
            elsewhere[Elsewhere(item.store, identity)] = removal
        }
        for (place, removal) in elsewhere {
            let queue = Self.prefix + place.store
            try outbox.add(removal, identity: place.identity, toQueue: queue, database)
        }
        for identity in identities {
            let entry = try outbox.entry(identity, in: database)
            let removal = Self.removal(entry, uploaded[identity], at: library.store)
            // Before the watchers hear of its entry.
            if let removal { removing.update { $0.insert(removal.mediaID) } }
            if let removal {
                try outbox.replace(removal, identity: identity, in: database)
            } else {
                try outbox.cancel(identity, in: database)
            }
        }
    }

    /// A removal from another store than this one.
    private struct Elsewhere: Hashable {
        var store: String
        var identity: String

        init(_ store: String, _ identity: String) { (self.store, self.identity) = (store, identity) }
    }

    /// What is to be removed from a store of an item that is deleted; `nil` where nothing of it can be there.
    private static func removal(
        _ entry: OutboxEntry<Upload>?,
        _ uploaded: MediaLibrary.Uploaded?,
        at store: String
    ) -> Upload? {
        var removal = entry?.work
        if let uploaded, uploaded.store == store {
            removal = Upload(uploaded.id, uploaded.kind, removal: .stored)
        } else if let entry, entry.state == .done {
            removal?.removal = .stored
        } else if let entry, entry.attempts > 0, entry.work.removal == nil {
            removal?.removal = .inDoubt
        }
        if let open = entry?.work.open ?? entry?.checkpoint(UploadCheckpoint.self) {
            removal?.open = open
            removal?.removal = .inDoubt
        }
        return removal?.removal == nil ? nil : removal
    }

    /// Calls `watcher` after every later change of an item's upload, from whatever task made it.
    func watch(_ watcher: @escaping @Sendable (UUID) -> Void) {
        outbox.watch { change in if let id = UUID(uuidString: change.identity) { watcher(id) } }
    }

    /// The upload of an item, in a reading of the caller's.
    func entry(_ id: UUID, in database: Database) throws -> OutboxEntry<Upload>? {
        try outbox.entry(id.uuidString, in: database).flatMap { $0.work.removal == nil ? $0 : nil }
    }

    /// The readable uploads, oldest first, in a reading of the caller's.
    func entries(in database: Database) throws -> [OutboxEntry<Upload>] {
        try outbox.entries(in: database).filter { $0.work.removal == nil }
    }

    /// Tries a failed item again; false when it has not failed.
    @discardableResult
    public func retry(_ id: UUID) throws(DatabaseFailure) -> Bool {
        try outbox.retry(id.uuidString)
    }

    /// The queue's uploads, oldest first.
    public func entries() throws(DatabaseFailure) -> [OutboxEntry<Upload>] {
        try outbox.entries().filter { $0.work.removal == nil }
    }

    /// What is wrong with entries that cannot be read.
    public func damages() throws(DatabaseFailure) -> [String] { try outbox.damages() }

    /// Restores what a launch needs: statuses of all items, and entries for wishes that a crash kept from the queue.
    public func restore() throws(DatabaseFailure) {
        var restored: [UUID: UploadStatus] = [:]
        for item in try library.items() where item.uploadStatus == .completed {
            restored[item.id] = .completed
        }
        for entry in try entries() { restored[entry.work.mediaID] = UploadStatus(entry) }
        statuses.set(restored)
        for item in try library.itemsWantingUpload() {
            try outbox.add(Upload(item), identity: item.id.uuidString)
        }
    }

    /// Uploads until the task is cancelled.
    ///
    /// At most one call at a time.
    public func run() async { await worker.run() }

    /// Uploads what may be uploaded now, then returns.
    public func processQueue() async { await worker.processQueue() }

    /// Takes note of whether the network is there; without it items wait.
    func setOnline(_ isOnline: Bool) async { await worker.setOnline(isOnline) }
}
