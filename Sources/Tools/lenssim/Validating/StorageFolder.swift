import Services
import Synchronization

/// Whether the next request is to have a wrong key.
final class NextRefusal: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    /// Says it once.
    func isNext() -> Bool { isSet.exchange(false, ordering: .relaxed) }
}

/// One folder of a bucket, as a store of its own.
final class StorageFolder: ForwardingObjectStore {
    let base: any ObjectStore
    private let path: String
    private let refusal: NextRefusal
    private let keys = Mutex<Set<ObjectKey>>([])

    init(_ path: String, _ base: any ObjectStore, _ refusal: NextRefusal) {
        (self.path, self.base, self.refusal) = (path, base, refusal)
    }

    /// Sends a wrong key with the next request.
    func refuseNext() { refusal.set() }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        keys.withLock { _ = $0.insert(key) }
        var options = options
        if let checkpoint = options.checkpoint { options.checkpoint = inside(checkpoint) }
        var inner: UploadReport?
        if let report {
            inner = { progress in
                var progress = progress
                progress.checkpoint?.key = key
                try await report(progress)
            }
        }
        do { try await base.put(content, at: inside(key), options, report: inner) } catch {
            throw outside(error)
        }
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        do { return try await base.open(inside(key), range: range) } catch { throw outside(error) }
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        do { return try await base.info(inside(key)) } catch { throw outside(error) }
    }

    func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        do throws(ObjectStoreError) {
            var page = try await base.list("\(path)/\(prefix)", after: token, limit: limit)
            page.objects = page.objects.map { object in
                var object = object
                object.key.path.removeFirst(path.count + 1)
                return object
            }
            return page
        } catch { throw outside(error) }
    }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        do { try await base.remove(inside(key)) } catch { throw outside(error) }
    }

    func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        keys.withLock { _ = $0.insert(newKey) }
        do { try await base.copy(inside(key), to: inside(newKey)) } catch { throw outside(error) }
    }

    func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        keys.withLock { _ = $0.insert(newKey) }
        do { try await base.move(inside(key), to: inside(newKey)) } catch { throw outside(error) }
    }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        do { return try base.publicURL(of: inside(key)) } catch { throw outside(error) }
    }

    func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String {
        do { return try await base.signedURL(to: use, inside(key), lifetime: lifetime) } catch {
            throw outside(error)
        }
    }

    func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {
        do { try await base.discard(inside(checkpoint)) } catch { throw outside(error) }
    }

    /// Removes every object that was put; invalid names were never stored.
    func removeAll() async throws(ObjectStoreError) {
        for key in keys.withLock(\.self).sorted(by: { $0.path < $1.path }) {
            do { try await remove(key) } catch { if error.code != .invalidRequest { throw error } }
        }
    }

    private func inside(_ key: ObjectKey) -> ObjectKey { ObjectKey(path + "/" + key.path) }

    private func inside(_ checkpoint: UploadCheckpoint) -> UploadCheckpoint {
        var checkpoint = checkpoint
        checkpoint.key = inside(checkpoint.key)
        return checkpoint
    }

    /// The error as of a store that has no other folder.
    private func outside(_ error: ObjectStoreError) -> ObjectStoreError {
        var error = error
        if error.key.hasPrefix(path + "/") { error.key.removeFirst(path.count + 1) }
        return error
    }
}
