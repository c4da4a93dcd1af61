public import AppKernel
public import Foundation
internal import GRDB

/// The items that wait to be uploaded to one store, and the worker that does it.
///
/// Every store has a queue of its own in the database: what was asked of another one waits there until that is used again.
public final class UploadQueue: Sendable {
    /// The status of every item.
    public let statuses: UploadStatusStore = UploadStatusStore()

    /// What the names of the queues in the database begin with; the identity of the store follows.
    private static let prefix = "uploads@"

    private let outbox: Outbox<Upload>
    private let library: MediaLibrary
    private let worker: OutboxWorker<UploadService>

    /// Opens the queue in the app's database; interrupted uploads wait again.
    public init(
        database: AppDatabase,
        library: MediaLibrary,
        service: UploadService,
        policy: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) throws(DatabaseFailure) {
        self.library = library
        outbox = try Self.outbox(in: database, store: library.store, policy: policy)
        worker = OutboxWorker(outbox: outbox, effect: service)
        outbox.watch { [statuses] in statuses.apply($0) }
    }

    /// The durable queue of a store.
    static func outbox(
        in database: AppDatabase,
        store: String,
        policy: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) throws(DatabaseFailure) -> Outbox<Upload> {
        let outbox = try Outbox<Upload>(database: database, name: prefix + store, policy: policy)
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
        try outbox.request(Upload(item), identity: item.id.uuidString) {
            try library.setWantsUpload(item.id, in: $0)
        }
    }

    /// Drops the uploads of items, to any store and also the one under way, in one transaction with a change of the caller's.
    func withdraw(
        _ ids: Set<UUID>,
        with change: @Sendable (Database) throws -> Void
    ) async throws(DatabaseFailure) {
        let identities = ids.map(\.uuidString)
        try await worker.withdraw(identities) { database in
            try change(database)
            try outbox.dropFromOthers(identities, prefix: Self.prefix, database)
        }
        statuses.forget(ids)
    }

    /// Calls `watcher` after every later change of an item's upload, from whatever task made it.
    func watch(_ watcher: @escaping @Sendable (UUID) -> Void) {
        outbox.watch { change in if let id = UUID(uuidString: change.identity) { watcher(id) } }
    }

    /// The entry of an item, in a reading of the caller's.
    func entry(_ id: UUID, in database: Database) throws -> OutboxEntry<Upload>? {
        try outbox.entry(id.uuidString, in: database)
    }

    /// The readable entries, oldest first, in a reading of the caller's.
    func entries(in database: Database) throws -> [OutboxEntry<Upload>] { try outbox.entries(in: database) }

    /// Tries a failed item again; false when it has not failed.
    @discardableResult
    public func retry(_ id: UUID) throws(DatabaseFailure) -> Bool {
        try outbox.retry(id.uuidString)
    }

    /// The queue's entries, oldest first.
    public func entries() throws(DatabaseFailure) -> [OutboxEntry<Upload>] { try outbox.entries() }

    /// What is wrong with entries that cannot be read.
    public func damages() throws(DatabaseFailure) -> [String] { try outbox.damages() }

    /// Restores what a launch needs: statuses of all items, and entries for wishes that a crash kept from the queue.
    public func restore() throws(DatabaseFailure) {
        var restored: [UUID: UploadStatus] = [:]
        for item in try library.items() where item.uploadStatus == .completed {
            restored[item.id] = .completed
        }
        for entry in try outbox.entries() { restored[entry.payload.mediaID] = UploadStatus(entry) }
        statuses.set(restored)
        for item in try library.itemsWantingUpload() {
            try outbox.enqueue(Upload(item), identity: item.id.uuidString)
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
