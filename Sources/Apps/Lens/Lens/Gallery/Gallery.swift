public import AppKernel
public import Concurrency
public import Foundation
internal import GRDB
internal import Synchronization

/// The photos and videos as people see them: one list, with the upload status of each, and what can be done with them.
///
/// ``content`` changes whole. Each of its values is one reading of library and upload queue, so that no item is there
/// twice, shown as uploaded without its address, or listed after it was deleted. It follows every change of both while
/// ``run()`` does; the calls below return once it shows their effect.
///
/// All reading and writing is done on this actor, never on the caller's.
public actor Gallery {
    /// How many items a screen shows at once.
    public static let window: Int = 200

    /// What the gallery shows now.
    public nonisolated var content: Published<Content> { currentContent.published }
    /// Why it could not be read the last time; `nil` when it could, and ``content`` is what was read before.
    public nonisolated var failure: Published<DatabaseFailure?> { lastFailure.published }

    private let currentContent = CurrentValue(Content(), backlog: 16)
    private let lastFailure = CurrentValue<DatabaseFailure?>(nil)
    private let database: AppDatabase
    private let library: MediaLibrary
    private let uploads: UploadQueue
    private let changes = PendingChanges()

    /// How long a reading that failed is left alone.
    private static let pauseAfterFailure = Duration.seconds(30)

    /// Creates a gallery that is empty until ``restore()``.
    public init(database: AppDatabase, library: MediaLibrary, uploads: UploadQueue) {
        self.database = database
        self.library = library
        self.uploads = uploads
        library.watch { [changes] in changes.note($0) }
        uploads.watch { [changes] in changes.note([$0]) }
    }

    /// The item of that id, if the gallery shows it.
    public nonisolated func item(_ id: UUID) -> MediaItem? {
        content.value.item(id)
    }

    // MARK: Life

    /// Reads everything.
    public func restore() {
        changes.noteEverything()
        refresh()
    }

    /// Follows the library and the queue until the task is cancelled.
    ///
    /// At most one call at a time.
    public func run() async {
        while !Task.isCancelled {
            refresh()
            _ = await changes.wake.wait(atMost: failure.value == nil ? nil : Self.pauseAfterFailure)
        }
    }

    /// Takes over the changes of library and queue that happened before the call.
    public func refresh() {
        guard let pending = changes.take() else { return }
        do throws(DatabaseFailure) {
            let new = try read(pending)
            if new != content.value { currentContent.set(new) }
            if failure.value != nil { lastFailure.set(nil) }
        } catch {
            changes.putBack(pending)
            lastFailure.set(error)
        }
    }

    // MARK: Actions

    /// Asks for the upload of an item: one that was never queued is queued, one that has failed is tried again.
    ///
    /// One that waits, is being uploaded or is uploaded stays as it is.
    ///
    /// - Returns: False when there is no such item.
    @discardableResult
    public func upload(_ id: UUID) throws(DatabaseFailure) -> Bool {
        defer { refresh() }
        let item = try database.read("find a media file") { try self.library.item(id, in: $0) }
        guard let item else { return false }
        guard item.remoteURL == nil else { return true }
        return try uploads.add(item)
    }

    /// Tries the upload of an item again, exactly as ``upload(_:)`` does.
    @discardableResult
    public func retry(_ id: UUID) throws(DatabaseFailure) -> Bool { try upload(id) }

    /// Deletes items: the file, its thumbnail, the row, and the upload that waits or is under way.
    ///
    /// They are out of the gallery and of the queue in one step; what a crash leaves of their files after it, the next
    /// launch removes. Ids that are unknown and files that are missing are no error. What the object store has of them is removed there,
    /// as soon as it can be reached: until then ``UploadQueue/removals`` names them.
    ///
    /// - Throws: ``GalleryFailure/library(_:)`` when nothing was deleted, ``GalleryFailure/file(_:)`` when the items are
    ///   gone but a file is not.
    public func delete(_ ids: Set<UUID>) async throws(GalleryFailure) {
        defer { refresh() }
        do throws(DatabaseFailure) {
            try uploads.withdraw(ids) { [library] in try library.markDeleted(ids, in: $0) }
        } catch { throw .library(error) }
        changes.note(ids)
        refresh()
        try library.finishDeletions()
    }

    // MARK: Reading

    private func read(_ pending: PendingChanges.Pending) throws(DatabaseFailure) -> Content {
        let old = content.value
        return try database.read("read the gallery") { database in
            guard case .items(let ids) = pending else { return try self.readAll(database) }
            var items: [MediaItem] = []
            for id in ids {
                guard var item = try self.library.item(id, in: database) else { continue }
                item.uploadStatus = Self.status(of: item, try self.uploads.entry(id, in: database))
                items.append(item)
            }
            var new = old
            new.replace(ids, with: items)
            return new
        }
    }

    private func readAll(_ database: Database) throws -> Content {
        let entries = Dictionary(
            try uploads.entries(in: database).map { ($0.work.mediaID, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let found = try library.items(in: database)
        var new = Content(
            items: found.readable.map { item in
                var item = item
                item.uploadStatus = Self.status(of: item, entries[item.id])
                return item
            }
        )
        new.damagedRows = found.damages.count
        return new
    }

    /// Between the end of the transfer and the keeping of the address an upload is still under way.
    private static func status(of item: MediaItem, _ entry: OutboxEntry<Upload>?) -> UploadStatus {
        guard item.remoteURL == nil else { return .completed }
        guard let entry else { return .none }
        let status = UploadStatus(entry)
        return status == .completed ? .uploading : status
    }
}

/// What has changed since the last reading.
private final class PendingChanges: Sendable {
    enum Pending: Sendable {
        case items(Set<UUID>)
        case everything
    }

    let wake = WakeSignal()
    private let pending = Mutex<Pending?>(nil)

    func note(_ ids: Set<UUID>) {
        putBack(.items(ids))
        wake.raise()
    }

    func noteEverything() {
        putBack(.everything)
        wake.raise()
    }

    func putBack(_ old: Pending) {
        pending.withLock { pending in
            pending =
                switch (pending, old) {
                case (nil, let old): old
                case (.items(let some), .items(let others)): .items(some.union(others))
                case (.everything, _), (_, .everything): .everything
                }
        }
    }

    func take() -> Pending? {
        pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
    }
}
