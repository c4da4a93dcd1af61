internal import AppKernel
public import Concurrency
public import Foundation
internal import Synchronization

/// The upload status of every item, for views to show; it outlives the queue's entries.
public final class UploadStatusStore: Sendable {
    /// The status of every item that ever had one.
    public var all: Published<[UUID: UploadStatus]> { statuses.published }

    private let statuses = CurrentValue<[UUID: UploadStatus]>([:], backlog: 1)
    /// Of those items alone that somebody has asked for.
    private let items = Mutex<[UUID: CurrentValue<UploadStatus>]>([:])

    /// Creates a store in which every item has the status `none`.
    public init() {}

    /// The status of one item, present and future.
    public func status(of id: UUID) -> Published<UploadStatus> { item(id).published }

    private func item(_ id: UUID) -> CurrentValue<UploadStatus> {
        items.withLock { items in
            if let item = items[id] { return item }
            let item = CurrentValue(all.value[id] ?? UploadStatus.none)
            items[id] = item
            return item
        }
    }

    /// Publishes a new status.
    func set(_ status: UploadStatus, of id: UUID) {
        set([id: status])
    }

    /// Publishes new statuses, all of them at once.
    func set(_ new: [UUID: UploadStatus]) {
        statuses.update { $0.merge(new) { $1 } }
        let watched = items.withLock { items in
            new.compactMap { id, status in items[id].map { ($0, status) } }
        }
        for (item, status) in watched { item.set(status) }
    }

    /// Forgets items that were deleted.
    func forget(_ ids: Set<UUID>) {
        statuses.update { statuses in for id in ids { statuses[id] = nil } }
        items.withLock { items in for id in ids { items.removeValue(forKey: id)?.set(.none) } }
    }

    /// Takes over what the queue reports.
    func apply(_ change: OutboxChange<Upload>) {
        guard let id = UUID(uuidString: change.identity) else { return }
        switch change.event {
        case .pending: set(.pending, of: id)
        case .started: set(.uploading, of: id)
        case .done: set(.completed, of: id)
        case .failed(let reason, let failures, let retriesItself):
            set(.failed(UploadError(reason), retries: failures, retriesItself: retriesItself), of: id)
        case .removed:
            // What left the queue unfinished was dropped; a finished item keeps its green check.
            if all.value[id] != .completed { set(.none, of: id) }
        }
    }
}
