import Services
import Synchronization

/// Stands between the app and its store, and counts the uploads that the app begins, whether they reach the store or not.
final class StoreWatch: ForwardingObjectStore {
    let base: any ObjectStore
    private let uploads = Mutex((begun: 0, ended: 0))

    init(_ base: any ObjectStore) { self.base = base }

    /// How many uploads the app has begun.
    var attempts: Int { uploads.withLock(\.begun) }
    /// Whether one of them has not ended.
    var isUploading: Bool { uploads.withLock { $0.begun > $0.ended } }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        uploads.withLock { $0.begun += 1 }
        defer { uploads.withLock { $0.ended += 1 } }
        try await base.put(content, at: key, options, report: report)
    }
}
