import Services
import Synchronization

/// Stands between the app and its store, and counts the uploads that the app begins, whether they reach the store or not.
final class StoreWatch: ObjectStore {
    private let base: any ObjectStore
    private let uploads = Mutex((begun: 0, ended: 0))

    init(_ base: any ObjectStore) { self.base = base }

    /// How many uploads the app has begun.
    var attempts: Int { uploads.withLock(\.begun) }
    /// Whether one of them has not ended.
    var isUploading: Bool { uploads.withLock { $0.begun > $0.ended } }

    func put(_ bytes: [UInt8], at key: ObjectKey, contentType: String) async throws(ObjectStoreError) {
        uploads.withLock { $0.begun += 1 }
        defer { uploads.withLock { $0.ended += 1 } }
        try await base.put(bytes, at: key, contentType: contentType)
    }

    func get(_ key: ObjectKey, upTo limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await base.get(key, upTo: limit)
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? { try await base.info(key) }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) { try await base.remove(key) }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String { try base.publicURL(of: key) }
}
