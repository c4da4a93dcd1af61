import ArgumentParser
import CommandKit
import Conformance
import Foundation
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import Services
import SupabaseStorage
import Synchronization
import Transport

extension ConformanceCommand {
    func storage(over transport: LiveTransport) async throws -> ConformanceReport {
        guard let at else { throw CaseSkipped("no address was given; give --at") }
        _ = try address()
        let harness = StorageHarness(
            transport: transport,
            configuration: SupabaseConfiguration(projectURL: at, bucket: bucket, key: try key()),
            capabilities: try capabilities([.unauthorized])
        )
        let report = await ObjectStoreConformance.suite.report(on: harness)
        do { try await harness.removeAll() } catch {
            Terminal().warn("lenssim: objects may be left in the folder conformance of the bucket: \(error)")
        }
        return report
    }
}

/// Folders of a bucket that is there.
private final class StorageHarness: ObjectStoreHarness {
    let capabilities: Set<InjectedFailure>
    var secrets: [String] { [configuration.key?.reveal() ?? ""] }
    private let transport: LiveTransport
    private let configuration: SupabaseConfiguration
    private let stores = Mutex<[StorageFolder]>([])

    init(
        transport: LiveTransport,
        configuration: SupabaseConfiguration,
        capabilities: Set<InjectedFailure>
    ) {
        (self.transport, self.configuration, self.capabilities) = (transport, configuration, capabilities)
    }

    func makeStore() -> StorageFolder {
        let store = StorageFolder("conformance/\(UUID().uuidString)", configuration, transport)
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

/// One folder of a bucket, as a store of its own.
private final class StorageFolder: ObjectStore {
    /// What the base's configuration has to see.
    private final class State: Sendable {
        let keys = Mutex<Set<ObjectKey>>([])
        let isRefused = Atomic(false)
    }

    private let path: String
    private let base: SupabaseObjectStore
    private let state: State

    init(_ path: String, _ configuration: SupabaseConfiguration, _ client: LiveTransport) {
        let state = State()
        (self.path, self.state) = (path, state)
        base = SupabaseObjectStore(client: client) { () throws(SecretStoreError) in
            var changed = configuration
            let isRefused = state.isRefused.exchange(false, ordering: .relaxed)
            if isRefused { changed.key = Secret("no-key-of-anybody") }
            return changed
        }
    }

    /// Sends a wrong key with the next request.
    func refuseNext() { state.isRefused.store(true, ordering: .relaxed) }

    func put(_ bytes: [UInt8], at key: ObjectKey, contentType: String) async throws(ObjectStoreError) {
        state.keys.withLock { _ = $0.insert(key) }
        do { try await base.put(bytes, at: inside(key), contentType: contentType) } catch {
            throw named(key, error)
        }
    }

    func get(_ key: ObjectKey, upTo limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        do { return try await base.get(inside(key), upTo: limit) } catch { throw named(key, error) }
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
        for key in state.keys.withLock(\.self).sorted(by: { $0.path < $1.path }) {
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
