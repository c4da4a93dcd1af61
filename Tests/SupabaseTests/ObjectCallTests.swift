import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import Services
import SupabaseServer
import SupabaseStorage
import TestSupport
import Testing
import Transport

@Suite("Lists, copies, ranges and signed addresses of Supabase")
struct ObjectCallTests {
    private let server: SupabaseServer
    private let client: ServerClient
    private let store: SupabaseObjectStore

    init() throws {
        let project = SupabaseProject.uploads(to: "media")
        server = try SupabaseServer(project)
        client = ServerClient(server)
        store = SupabaseObjectStore(
            SupabaseConfiguration(
                projectURL: "https://project.example",
                bucket: "media",
                // May do everything: the anonymous key has no policy for moves.
                key: Secret(project.serviceKey)
            ),
            client: client
        )
    }

    private func put(_ paths: String...) async throws {
        for (index, path) in paths.enumerated() {
            try await store.put([UInt8](repeating: 7, count: index), at: ObjectKey(path), contentType: "a/b")
        }
    }

    @Test func `a list has pages in the order of keys, with sizes, and begins with a prefix`() async throws {
        try await put("b/2", "a", "b/1", "b/10", "c")
        var pages: [[String]] = []
        var token: String?
        repeat {
            let page = try await store.list("b/", after: token, limit: 2)
            pages.append(page.objects.map(\.key.path))
            token = page.next
        } while token != nil
        #expect(pages == [["b/1", "b/10"], ["b/2"]])
        let all = try await store.list("", after: nil, limit: 1000)
        #expect(all.objects.map(\.key.path) == ["a", "b/1", "b/10", "b/2", "c"] && all.next == nil)
        #expect(all.objects.map(\.size) == [1, 2, 3, 0, 4])
        let tag = try await store.info(ObjectKey("c"))?.entityTag
        #expect(all.objects.last?.entityTag == tag)
        #expect(try await store.list("none", after: nil, limit: 1) == ObjectPage(objects: [], next: nil))
        for limit in [0, -1, 1001] {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.list("", after: nil, limit: limit)
            }
            #expect(error?.code == .invalidRequest && error?.operation == "list")
        }
    }

    @Test func `a copy has bytes, type and metadata, and a move leaves nothing behind`() async throws {
        let key = ObjectKey("a/one.jpg")
        let options = PutOptions(contentType: "image/jpeg", metadata: ["by": "me"])
        try await store.put(ObjectContent([1, 2, 3]), at: key, options, report: nil)
        try await store.copy(key, to: ObjectKey("b/two.jpg"))
        #expect(try await store.get(ObjectKey("b/two.jpg"), upTo: 10) == [1, 2, 3])
        let info = try #require(try await store.info(ObjectKey("b/two.jpg")))
        #expect(info.contentType == "image/jpeg" && info.metadata == ["by": "me"])
        try await store.move(key, to: ObjectKey("c"))
        #expect(server.objects(in: "media").map(\.key) == ["b/two.jpg", "c"])
        for work in [store.copy, store.move] {
            let taken = await #expect(throws: ObjectStoreError.self) {
                try await work(ObjectKey("c"), ObjectKey("b/two.jpg"))
            }
            #expect(taken?.code == .alreadyExists)
            let absent = await #expect(throws: ObjectStoreError.self) {
                try await work(ObjectKey("none"), ObjectKey("d"))
            }
            #expect(absent?.code == .notFound && absent?.key == "none")
        }
    }

    @Test func `a range brings its bytes, and one behind the end is refused`() async throws {
        let bytes = [UInt8].pattern(100)
        let key = ObjectKey("film")
        try await store.put(bytes, at: key, contentType: "a/b")
        for range in [0..<1, 10..<20, 99..<100, 0..<100, 90..<500] {
            let stream = try await store.open(key, range: range)
            #expect(stream.range == range.clamped(to: 0..<100) && stream.info.size == 100)
            #expect(try await store.get(key, upTo: 100, range: range) == Array(bytes[stream.range]))
        }
        #expect(try await store.get(key, upTo: 0, range: 5..<5) == [])
        let behind = await #expect(throws: ObjectStoreError.self) {
            try await store.open(key, range: 100..<101)
        }
        #expect(behind?.code == .invalidRequest)
        let tooLarge = await #expect(throws: ObjectStoreError.self) { try await store.get(key, upTo: 99) }
        #expect(tooLarge?.code == .tooLarge)
    }

    @Test func `an object is replaced where that is wished, and tags are not compared`() async throws {
        let key = ObjectKey("a")
        try await store.put([1], at: key, contentType: "a/b")
        let options = PutOptions(contentType: "c/d", condition: .any)
        try await store.put(ObjectContent([2, 2]), at: key, options, report: nil)
        #expect(try await store.get(key, upTo: 10) == [2, 2])
        #expect(try await store.info(key)?.contentType == "c/d")
        let sent = client.sent.count
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(
                ObjectContent([3]),
                at: key,
                PutOptions(contentType: "a/b", condition: .matches("tag")),
                report: nil
            )
        }
        #expect(error?.code == .unsupported && client.sent.count == sent)
        #expect(!store.abilities.contains(.conditionalPut))
    }

    @Test func `a signed address reads what is there, and another one stores something new`() async throws {
        let key = ObjectKey("a b.jpg")
        try await store.put([1, 2], at: key, contentType: "image/jpeg")
        let read = try await store.signedURL(to: .read, key, lifetime: .seconds(60))
        let answer = try await client.send(read)
        #expect(answer.status == 200 && answer.bytes == [1, 2])
        let write = try await store.signedURL(
            to: .write(contentType: "image/png"),
            ObjectKey("new"),
            lifetime: .seconds(60)
        )
        #expect(try await client.send(write, .put, [4]).status == 200)
        #expect(try await store.get(ObjectKey("new"), upTo: 10) == [4])
        let absent = await #expect(throws: ObjectStoreError.self) {
            try await store.signedURL(to: .read, ObjectKey("none"), lifetime: .seconds(1))
        }
        #expect(absent?.code == .notFound)
        let short = await #expect(throws: ObjectStoreError.self) {
            try await store.signedURL(to: .read, key, lifetime: .milliseconds(999))
        }
        #expect(short?.code == .invalidRequest)
    }

    @Test func `whether an object is some content is decided by its bytes`() async throws {
        let bytes = [UInt8].pattern(700_000)
        let key = ObjectKey("film")
        #expect(try await !store.holds(ObjectContent(bytes), at: key))
        try await store.put(bytes, at: key, contentType: "a/b")
        #expect(try await store.holds(ObjectContent(bytes), at: key))
        var other = bytes
        other[699_999] ^= 1
        #expect(try await !store.holds(ObjectContent(other), at: key))
        #expect(try await !store.holds(ObjectContent(Array(bytes.dropLast())), at: key))
        let unreadable = ObjectContent(size: bytes.count) { _ throws(ObjectContentError) in
            throw ObjectContentError("gone")
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.holds(unreadable, at: key)
        }
        #expect(error?.code == .unreadable && error?.detail == "gone")
    }

    @Test func `an upload that is discarded is forgotten, and one that is whole stays`() async throws {
        var configuration = SupabaseConfiguration(
            projectURL: "https://project.example",
            bucket: "media",
            key: Secret(server.project.serviceKey)
        )
        configuration.parts.length = 100
        configuration.parts.retries.retries = 0
        let store = SupabaseObjectStore(configuration, client: client)
        let kept = KeptCheckpoint()
        let key = ObjectKey("film")
        let options = PutOptions(contentType: "a/b")
        try server.faults.arm("supabase.resumable.refused", values: ["status": 403], skipping: 2, atMost: 1)
        await #expect(throws: ObjectStoreError.self) {
            try await store.put(ObjectContent(.pattern(500)), at: key, options, report: kept.report)
        }
        let checkpoint = try #require(kept.last)
        try await store.discard(checkpoint)
        try await store.discard(checkpoint)
        let before = client.sent.count
        try await store.put(
            ObjectContent(.pattern(500)),
            at: key,
            PutOptions(contentType: "a/b", checkpoint: checkpoint),
            report: kept.report
        )
        // Asked for, gone, and sent from the beginning.
        #expect(
            client.sent[before...].map(\.request.method) == [.head, .post]
                + Array(repeating: .patch, count: 5)
        )
        try await store.discard(try #require(kept.last))
        #expect(server.objects(in: "media").map(\.bytes) == [.pattern(500)])
    }
}

extension ServerClient {
    /// Sends a request to an address, as anybody does.
    fileprivate func send(
        _ address: String,
        _ method: HTTPRequest.Method = .get,
        _ body: [UInt8]? = nil
    ) async throws -> (status: Int, bytes: [UInt8]) {
        let url = try #require(URL(string: address))
        var request = HTTPRequest(method: method, url: url)
        if body != nil { request.headerFields[.contentType] = "image/png" }
        let answer = try await send(
            request,
            body: body.map { .bytes($0) } ?? .empty,
            limits: HTTPLimits(each: .seconds(10))
        )
        return (answer.head.status.code, try await answer.body.collect(upTo: 1 << 20))
    }
}
