public import AppKernel
public import Foundation
public import Observation

/// The upload badges of the gallery.
@MainActor
@Observable
public final class UploadsViewModel {
    /// The status of every item that has one.
    public private(set) var statuses: [UUID: UploadStatus] = [:]
    /// Why the queue could not be read or written.
    public private(set) var error: DatabaseFailure?

    private let uploads: UploadQueue
    private let observation = OwnedTasks()

    /// Creates the view model of a queue.
    public init(_ uploads: UploadQueue) {
        self.uploads = uploads
        statuses = uploads.statuses.all.value
    }

    /// Starts to follow the queue.
    public func onAppear() {
        observation.replace(with: [
            follow(uploads.statuses.all) { model, statuses in model.statuses = statuses },
            follow(uploads.failure) { model, failure in model.error = failure },
        ])
    }

    /// Stops to follow the queue.
    public func onDisappear() { observation.cancelAll() }

    /// What the badge of an item shows.
    public func badge(of id: UUID) -> UploadBadge { (statuses[id] ?? UploadStatus.none).badge }

    /// Tries a failed upload again.
    public func retry(_ id: UUID) {
        do { try uploads.retry(id) } catch { self.error = error }
    }
}

extension UploadsViewModel: Following {}
