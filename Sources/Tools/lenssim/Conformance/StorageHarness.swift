import AWSSignature
import ArgumentParser
import CommandKit
import Conformance
import Foundation
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import S3Storage
import Services
import SupabaseStorage
import Synchronization
import Transport

extension ConformanceCommand {
    func storage(over transport: LiveTransport) async throws -> ConformanceReport {
        guard let at else { throw CaseSkipped("no address was given; give --at") }
        _ = try address()
        let key = try key()
        let harness = StorageHarness(
            transport: transport,
            secret: key,
            capabilities: try capabilities([.unauthorized]),
            base: accessKey.map { s3(at, $0, key, transport) } ?? supabase(at, key, transport)
        )
        let report = await ObjectStoreConformance.suite.report(on: harness)
        do { try await harness.removeAll() } catch {
            Terminal().warn("lenssim: objects may be left in the folder conformance of the bucket: \(error)")
        }
        return report
    }

    private func supabase(_ at: String, _ key: Secret, _ transport: LiveTransport) -> StorageHarness.Base {
        let configuration = SupabaseConfiguration(projectURL: at, bucket: bucket, key: key)
        return { refusal in
            SupabaseObjectStore(client: transport) { () throws(SecretStoreError) in
                var changed = configuration
                if refusal.isNext() { changed.key = Secret("no-key-of-anybody") }
                return changed
            }
        }
    }

    private func s3(
        _ at: String,
        _ accessKey: String,
        _ key: Secret,
        _ transport: LiveTransport
    ) -> StorageHarness.Base {
        let configuration = S3Configuration(
            endpoint: at,
            region: region,
            bucket: bucket,
            credentials: AWSCredentials(accessKey: accessKey, secretKey: key)
        )
        return { refusal in
            S3ObjectStore(client: transport) { () throws(SecretStoreError) in
                var changed = configuration
                if refusal.isNext() { changed.credentials?.secretKey = Secret("no-key-of-anybody") }
                return changed
            }
        }
    }
}

/// Folders of a bucket that is there.
private final class StorageHarness: ObjectStoreHarness {
    /// Makes the store of the whole bucket, which asks before each request whether its key is to be wrong.
    typealias Base = @Sendable (_ refusal: NextRefusal) -> any ObjectStore

    let capabilities: Set<InjectedFailure>
    var secrets: [String] { [secret.reveal()] }
    private let transport: LiveTransport
    private let secret: Secret
    private let base: Base
    private let stores = Mutex<[StorageFolder]>([])

    init(
        transport: LiveTransport,
        secret: Secret,
        capabilities: Set<InjectedFailure>,
        base: @escaping Base
    ) {
        (self.transport, self.secret, self.capabilities, self.base) = (transport, secret, capabilities, base)
    }

    func makeStore() -> StorageFolder {
        let refusal = NextRefusal()
        let store = StorageFolder("conformance/\(UUID().uuidString)", base(refusal), refusal)
        stores.withLock { $0.append(store) }
        return store
    }

    func inject(_ failure: InjectedFailure, into store: StorageFolder) { store.refuseNext() }

    func read(publicURL: String, of store: StorageFolder) async throws -> [UInt8]? {
        guard let url = URL(string: publicURL) else { return nil }
        let request = HTTPRequest(method: .get, url: url)
        let answer = try await transport.send(request, body: .empty, timeout: .seconds(60))
        return answer.head.status == .ok ? try await answer.body.collect(upTo: 1 << 20) : []
    }

    /// Removes what the cases have left.
    func removeAll() async throws {
        for store in stores.withLock(\.self) { try await store.removeAll() }
    }
}

/// Whether the next request is to have a wrong key.
private final class NextRefusal: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    /// Says it once.
    func isNext() -> Bool { isSet.exchange(false, ordering: .relaxed) }
}

/// One folder of a bucket, as a store of its own.
private final class StorageFolder: ObjectStore {
    private let path: String
    private let base: any ObjectStore
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
        do { try await base.put(content, at: inside(key), options, report: report) } catch {
            throw named(key, error)
        }
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        do { return try await base.open(inside(key), range: range) } catch { throw named(key, error) }
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        do { return try await base.info(inside(key)) } catch { throw named(key, error) }
    }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        do { try await base.remove(inside(key)) } catch { throw named(key, error) }
    }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        do { return try base.publicURL(of: inside(key)) } catch { throw named(key, error) }
    }

    /// Removes every object that was put; invalid names were never stored.
    func removeAll() async throws(ObjectStoreError) {
        for key in keys.withLock(\.self).sorted(by: { $0.path < $1.path }) {
            do { try await remove(key) } catch { if error.code != .invalidRequest { throw error } }
        }
    }

    private func inside(_ key: ObjectKey) -> ObjectKey { ObjectKey(path + "/" + key.path) }

    /// The error as of a store that has no other folder.
    private func named(_ key: ObjectKey, _ error: ObjectStoreError) -> ObjectStoreError {
        var error = error
        error.key = key.path
        return error
    }
}
