import S3Server
import S3Storage
import Services
import TestSupport
import Testing

@Suite("Lists, copies, ranges and conditions of S3")
struct ObjectCallTests {
    private let server = S3Server(S3Account(buckets: [S3Account.Bucket("media")]))
    private let client: TroubledClient
    private let store: S3ObjectStore

    init() {
        client = TroubledClient(ServerClient(server: server))
        store = S3ObjectStore(
            S3Configuration(
                endpoint: "http://127.0.0.1:9000",
                bucket: "media",
                credentials: S3Account.constantCredentials
            ),
            client: client
        )
    }

    @Test func `a list has pages in the order of keys, whatever these hold, and begins with a prefix`()
        async throws
    {
        let paths = ["a", "b/1", "b/10 +&<>%2F", "b/2\u{e9}", "b/3\u{1F600}", "c"]
        for (index, path) in paths.enumerated() {
            try await store.put([UInt8](repeating: 7, count: index), at: ObjectKey(path), contentType: "a/b")
        }
        var pages: [[String]] = []
        var token: String?
        repeat {
            let page = try await store.list("b/", after: token, limit: 3)
            pages.append(page.objects.map(\.key.path))
            token = page.next
        } while token != nil
        #expect(pages == [Array(paths[1...3]), [paths[4]]])
        let all = try await store.list("", after: nil, limit: 1000)
        #expect(all.objects.map(\.key.path) == paths && all.next == nil)
        #expect(all.objects.map(\.size) == Array(0...5))
        let tag = try await store.info(ObjectKey("c"))?.entityTag
        #expect(all.objects.last?.entityTag == tag)
        for limit in [0, -1, 1001] {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.list("", after: nil, limit: limit)
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a copy has bytes, type and metadata, and moves are not known`() async throws {
        let key = ObjectKey("a/one &.jpg")
        let options = PutOptions(contentType: "image/jpeg", metadata: ["takenBy": "me and you"])
        try await store.put(ObjectContent([1, 2, 3]), at: key, options, report: nil)
        try await store.copy(key, to: ObjectKey("b/two.jpg"))
        #expect(try await store.get(ObjectKey("b/two.jpg"), upTo: 10) == [1, 2, 3])
        let info = try #require(try await store.info(ObjectKey("b/two.jpg")))
        #expect(info.contentType == "image/jpeg" && info.metadata == ["takenby": "me and you"])
        let taken = await #expect(throws: ObjectStoreError.self) {
            try await store.copy(key, to: ObjectKey("b/two.jpg"))
        }
        #expect(taken?.code == .alreadyExists)
        let absent = await #expect(throws: ObjectStoreError.self) {
            try await store.copy(ObjectKey("none"), to: ObjectKey("d"))
        }
        #expect(absent?.code == .notFound && absent?.key == "none")
        let sent = client.sent.count
        let move = await #expect(throws: ObjectStoreError.self) {
            try await store.move(key, to: ObjectKey("c"))
        }
        #expect(move?.code == .unsupported && client.sent.count == sent)
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
    }

    @Test func `an object is replaced in any case, or where it is the one that is known`() async throws {
        let key = ObjectKey("a")
        func put(_ bytes: [UInt8], _ condition: PutOptions.Condition) async throws(ObjectStoreError) {
            let options = PutOptions(contentType: "a/b", condition: condition)
            try await store.put(ObjectContent(bytes), at: key, options, report: nil)
        }
        try await put([1], .any)
        try await put([2], .any)
        let tag = try #require(try await store.info(key)?.entityTag)
        try await put([3], .matches(tag))
        let changed = await #expect(throws: ObjectStoreError.self) { try await put([4], .matches(tag)) }
        #expect(changed?.code == .conditionFailed && changed?.isTransient == false)
        #expect(try await store.get(key, upTo: 10) == [3])
        try await store.remove(key)
        let absent = await #expect(throws: ObjectStoreError.self) { try await put([5], .matches(tag)) }
        #expect(absent?.code == .conditionFailed)
        try await put([6], .absent)
        let taken = await #expect(throws: ObjectStoreError.self) { try await put([7], .absent) }
        #expect(taken?.code == .alreadyExists && taken?.mayHaveTakenEffect == false)
    }

    @Test func `content that is read while it is sent arrives as it is, and says how far it is`() async throws
    {
        let bytes = [UInt8].pattern(1_000_000)
        let content = ObjectContent(size: bytes.count) { range throws(ObjectContentError) in
            Array(bytes[range])
        }
        let sent = Box<[Int]>([])
        try await store.put(content, at: ObjectKey("film"), PutOptions(contentType: "a/b")) { progress in
            sent.append(progress.sent)
        }
        #expect(server.objects(in: "media").map(\.bytes.count) == [1_000_000])
        #expect(try await store.get(ObjectKey("film"), upTo: 1_000_000) == bytes)
        #expect(sent.value == sent.value.sorted() && sent.value.count > 3 && sent.value.last == 1_000_000)
        let broken = ObjectContent(size: bytes.count) { range throws(ObjectContentError) in
            if range.lowerBound > 500_000 { throw ObjectContentError("the disk failed") }
            return Array(bytes[range])
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(broken, at: ObjectKey("other"), PutOptions(contentType: "a/b"), report: nil)
        }
        #expect(error?.code == .unreadable && error?.detail == "the disk failed")
    }
}
