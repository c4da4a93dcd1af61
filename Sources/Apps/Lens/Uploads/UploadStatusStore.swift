public import AppKernel
public import Foundation
internal import Synchronization

/// The upload status of every item, for views to show; it outlives the queue's entries.
public final class UploadStatusStore: Sendable {
    /// The status of every item that ever had one.
    public var all: Published<[UUID: UploadStatus]> { statuses.published }

    private let statuses = CurrentValue<[UUID: UploadStatus]>([:])
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
        statuses.update { $0[id] = status }
        item(id).set(status)
    }

    /// Takes over what the queue reports.
    func apply(_ change: OutboxChange) {
        guard let id = UUID(uuidString: change.identity) else { return }
        switch change.event {
        case .pending: set(.pending, of: id)
        case .uploading: set(.uploading, of: id)
        case .completed: set(.completed, of: id)
        case .failed(let error, let failures, let retriesItself):
            set(
                .failed(UploadError(stored: error), retries: failures, retriesItself: retriesItself),
                of: id
            )
        case .removed:
            // What left the queue unfinished was dropped; a finished item keeps its green check.
            if status(of: id).value != .completed { set(.none, of: id) }
        }
    }
}
