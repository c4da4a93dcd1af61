public import AppKernel
public import Foundation

/// The items that wait to be uploaded, and the worker that does it.
public final class UploadQueue: Sendable {
    /// The status of every item.
    public let statuses: UploadStatusStore = UploadStatusStore()

    /// The outbox's name in the database.
    static let name = "uploads"

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
        outbox = try Outbox(database: database, name: Self.name, policy: policy)
        worker = OutboxWorker(outbox: outbox, effect: service)
        outbox.watch { [statuses] in statuses.apply($0) }
    }

    /// Why the queue itself could not be read or written; `nil` when it could.
    public var failure: Published<DatabaseFailure?> { worker.failure }

    /// Adds an item durably; one that is already in the queue stays there once.
    public func add(_ item: MediaItem) throws(DatabaseFailure) {
        try library.setWantsUpload(item.id)
        try outbox.enqueue(Upload(item), identity: item.id.uuidString)
    }

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
        for item in try library.items() where item.uploadStatus == .completed {
            statuses.set(.completed, of: item.id)
        }
        for entry in try outbox.entries() { statuses.set(Self.status(of: entry), of: entry.payload.mediaID) }
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

    /// Tells whether the network is there; without it items wait.
    public func setOnline(_ isOnline: Bool) async { await worker.setOnline(isOnline) }

    private static func status(of entry: OutboxEntry<Upload>) -> UploadStatus {
        switch entry.state {
        case .pending: .pending
        case .uploading: .uploading
        case .completed: .completed
        case .failed:
            .failed(
                UploadError(stored: entry.lastError ?? ""),
                retries: entry.failures,
                retriesItself: entry.due != nil
            )
        }
    }
}
