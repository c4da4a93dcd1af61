import AppKernel
import Concurrency
import Files
import Foundation
import Services
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@testable import Lens

@Suite(
    "Photos that are taken, uploaded, deleted and found again at once",
    .simulated(seeds: 1...15, configuration: .shortWaits)
)
struct UploadOverlapTests {
    /// A store whose answers wait at the gates, and which fails at times, before or after it has kept an object.
    private final class SlowStore: ObjectStore {
        let objects = Mutex<[ObjectKey: [UInt8]]>([:])
        let isKind = Mutex(false)
        private let gates: Gates

        init(_ gates: Gates) { self.gates = gates }

        private func maybeFail(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) {
            if isKind.withLock(\.self) || Int.random(in: 0..<4) > 0 { return }
            throw ObjectStoreError(.timedOut, operation: operation, key: key.path)
        }

        func put(
            _ content: ObjectContent,
            at key: ObjectKey,
            _ options: PutOptions,
            report: UploadReport?
        ) async throws(ObjectStoreError) {
            let bytes = try await content.whole(at: key)
            await gates.pass()
            if Task.isCancelled, !isKind.withLock(\.self), Bool.random() {
                // Given up, and on its way all the same.
                Task {
                    try? await Task.sleep(for: .seconds(5))
                    objects.withLock { $0[key] = bytes }
                }
                throw ObjectStoreError(.cancelled, operation: "put", key: key.path)
            }
            try maybeFail("put", key)
            let isNew = objects.withLock { objects in
                guard objects[key] == nil else { return false }
                objects[key] = bytes
                return true
            }
            guard isNew else { throw ObjectStoreError(.alreadyExists, operation: "put", key: key.path) }
            await gates.pass()
            try maybeFail("put", key)
        }

        func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
            guard let bytes = objects.withLock({ $0[key] }) else {
                throw ObjectStoreError(.notFound, operation: "get", key: key.path)
            }
            return .of(bytes, range)
        }

        func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
            await gates.pass()
            return objects.withLock { $0[key] }.map {
                ObjectInfo(size: $0.count, contentType: "image/jpeg", entityTag: "tag")
            }
        }

        func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
            await gates.pass()
            try maybeFail("remove", key)
            objects.withLock { $0[key] = nil }
            await gates.pass()
        }

        func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
            "https://store.example/\(key.path)"
        }
    }

    /// What users did.
    private struct Wishes {
        var taken: Set<UUID> = []
        var uploaded: Set<UUID> = []
        var deleted: Set<UUID> = []

        var left: Set<UUID> { taken.subtracting(deleted) }
        var wanted: Set<UUID> { uploaded.subtracting(deleted) }
    }

    private final class Journal: Sendable {
        private let wishes = Mutex(Wishes())

        var value: Wishes { wishes.withLock(\.self) }
        func note(_ change: @Sendable (inout Wishes) -> Void) { wishes.withLock { change(&$0) } }
    }

    private let gates = Gates()
    private let wishes = Journal()
    private let storage: AppStorage

    init() throws { storage = try AppStorage() }

    private func launch(_ store: SlowStore) async throws -> AppFixture {
        let fixture = try AppFixture(storage: storage) { $0.objects = store }
        try? fixture.documents.create()
        _ = await fixture.app.launch()
        for entry in try fixture.app.uploads.entries() {
            #expect(fixture.app.uploads.statuses.status(of: entry.work.mediaID).value != .none)
        }
        try await fixture.app.camera.connect()
        return fixture
    }

    private func actions(_ app: LensApp) -> [Overlap.Action] {
        let wishes = wishes
        @Sendable func one() -> UUID? {
            wishes.value.taken.sorted { $0.uuidString < $1.uuidString }.randomElement()
        }
        let take: Overlap.Action = {
            guard let item = try? await app.capturePhoto() else { return }
            wishes.note { $0.taken.insert(item.id) }
        }
        let upload: Overlap.Action = {
            guard let id = one(), (try? await app.gallery.upload(id)) == true else { return }
            wishes.note { $0.uploaded.insert(id) }
        }
        let delete: Overlap.Action = {
            guard let id = one(), (try? await app.gallery.delete([id])) != nil else { return }
            wishes.note { $0.deleted.insert(id) }
        }
        return [
            take, take, upload, upload, upload, delete,
            { await app.uploads.setOnline(.random()) },
            { await app.gallery.refresh() },
            { try? app.uploads.retryRemovals() },
        ]
    }

    @Test func `what is there in the end is what was taken and not deleted, here and in the store`()
        async throws
    {
        let store = SlowStore(gates)
        var fixture = try await launch(store)
        for round in 0..<4 {
            store.isKind.withLock { $0 = false }
            await Overlap(gates: gates, actions: actions(fixture.app)).round(50)
            store.isKind.withLock { $0 = true }
            if round.isMultiple(of: 2) {
                // In the middle of uploads and removals.
                await fixture.app.shutdown()
                fixture = try await launch(store)
            }
            let app = fixture.app
            let wishes = wishes.value
            await app.uploads.setOnline(true)
            for _ in 0..<100 {
                for entry in try app.uploads.entries() where entry.state == .failed {
                    try await app.gallery.upload(entry.work.mediaID)
                }
                try app.uploads.retryRemovals()
                if try app.uploads.entries().isEmpty, app.uploads.removals.value.isEmpty { break }
                try await Task.sleep(for: .seconds(1))
            }
            // What was given up and was on its way all the same has come by then.
            try await Task.sleep(for: .seconds(6))
            #expect(try app.uploads.entries().isEmpty)
            #expect(app.uploads.removals.value.isEmpty)
            #expect(app.uploads.removalFailure.value == nil)
            await app.gallery.refresh()
            let items = app.gallery.content.value.items
            #expect(items.count == wishes.left.count && Set(items.map(\.id)) == wishes.left)
            #expect(Set(items.filter { $0.uploadStatus == .completed }.map(\.id)) == wishes.wanted)
            let shown = app.uploads.statuses.all.value.filter { $0.value != .none }
            #expect(Set(shown.keys) == wishes.wanted && Set(shown.values).isSubset(of: [.completed]))
            #expect(store.objects.withLock { $0.count } == wishes.wanted.count)
            #expect(
                store.objects.withLock { Set($0.keys) }
                    == Set(items.filter { wishes.wanted.contains($0.id) }.map { Upload($0).key })
            )
            let files = fixture.files.names(in: fixture.documents.path)
            #expect(
                Set(files.filter { $0.hasPrefix("photo_") })
                    == Set(wishes.left.map { MediaLibrary.fileName(of: $0, kind: .photo) })
            )
        }
        await fixture.app.shutdown()
    }
}
