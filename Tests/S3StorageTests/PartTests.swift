import Foundation
import HTTPTypes
import PeerKit
import S3Server
import S3Storage
import Services
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("S3 storage in parts")
struct PartTests {
    private let server = S3Server(S3Account(buckets: [S3Account.Bucket("media")], shortestPart: 1000))
    private let client: TroubledClient
    private let store: S3ObjectStore
    private let key = ObjectKey("film.mov")
    private let film = (0..<4500).map { UInt8(truncatingIfNeeded: $0 % 251) }

    init() {
        client = TroubledClient(ServerClient(server: server))
        store = S3ObjectStore(
            S3Configuration(
                endpoint: "http://127.0.0.1:9000",
                bucket: "media",
                credentials: S3Account.constantCredentials,
                partSize: 1000,
                largestSinglePut: 2000
            ),
            client: client
        )
    }

    private var numbers: [String] {
        client.sent.compactMap { request in
            (request.path ?? "").split(separator: "?").last.flatMap { query in
                query.split(separator: "&").first { $0.hasPrefix("partNumber=") }.map {
                    String($0.dropFirst(11))
                }
            }
        }
    }

    @Test func `a large object is put in parts, and is whole and of its type`() async throws {
        try await store.put(film, at: key, contentType: "video/quicktime")
        #expect(numbers == ["1", "2", "3", "4", "5"])
        #expect(try await store.get(key, upTo: 5000) == film)
        let info = try await store.info(key)
        #expect(info?.contentType == "video/quicktime" && info?.size == 4500)
        #expect(info?.entityTag.hasSuffix("-5") == true)
        #expect(server.pendingUploadCount(in: "media") == 0)
        let small = ObjectKey("small")
        try await store.put(Array(film.prefix(2000)), at: small, contentType: "a/b")
        #expect(try await store.info(small)?.entityTag.contains("-") == false)
    }

    @Test func `an upload that fails leaves nothing, and a key that is taken stays`() async throws {
        client.meet(nil, nil, .silence)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(film, at: key, contentType: "a/b")
        }
        #expect(error?.code == .timedOut && error?.operation == "put")
        #expect(server.pendingUploadCount(in: "media") == 0 && server.objects(in: "media").isEmpty)
        try await store.put([1], at: key, contentType: "a/b")
        let taken = await #expect(throws: ObjectStoreError.self) {
            try await store.put(film, at: key, contentType: "a/b")
        }
        #expect(taken?.code == .alreadyExists)
        #expect(try await store.get(key, upTo: 10) == [1])
        #expect(server.pendingUploadCount(in: "media") == 0)
    }

    private func put(_ bytes: [UInt8], from checkpoint: UploadCheckpoint? = nil, _ kept: KeptData)
        async throws(ObjectStoreError)
    {
        let options = PutOptions(contentType: "a/b", checkpoint: checkpoint)
        try await store.put(ObjectContent(bytes), at: key, options, report: kept.report)
    }

    @Test(arguments: 0...6)
    func `an upload goes on where it was broken off, and sends no part twice`(_ good: Int) async throws {
        let kept = KeptData()
        for _ in 0..<good { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) { try await put(film, kept) }
        // Another process finds what was kept.
        let found = try kept.last
        #expect((found == nil) == (good == 0))
        #expect((found?.confirmed ?? 0) == min(4500, max(0, good - 1) * 1000))
        #expect(found.map { "\($0)".contains("simulated-secret") } != true)
        try await put(film, from: found, kept)
        #expect(try await store.get(key, upTo: 5000) == film)
        // The one that nothing of was sent counts once more.
        #expect(numbers.count == 5 + ((1...5).contains(good) ? 1 : 0))
        #expect(Set(numbers) == ["1", "2", "3", "4", "5"])
        #expect(server.pendingUploadCount(in: "media") == 0)
    }

    @Test
    func `a lost answer to the completion shows as network, and the next call sees that the object is there`()
        async throws
    {
        let kept = KeptData()
        for _ in 0..<6 { client.meet(nil) }
        client.meet(.lostAnswer)
        let lost = await #expect(throws: ObjectStoreError.self) { try await put(film, kept) }
        #expect(lost?.code == .network && lost?.mayHaveTakenEffect == true)
        let checkpoint = try #require(try kept.last)
        #expect(checkpoint.confirmed == 4500)
        try await put(film, from: checkpoint, kept)
        #expect(numbers.count == 5 && server.objects(in: "media").count == 1)
        // Nothing to discard is no error.
        try await store.discard(checkpoint)
    }

    @Test func `an upload that the service has forgotten starts again`() async throws {
        let kept = KeptData()
        for _ in 0..<3 { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) { try await put(film, kept) }
        let checkpoint = try #require(try kept.last)
        try await store.discard(checkpoint)
        #expect(server.pendingUploadCount(in: "media") == 0)
        try await put(film, from: checkpoint, kept)
        #expect(try await store.get(key, upTo: 5000) == film)
        #expect(server.pendingUploadCount(in: "media") == 0)
    }

    @Test func `an upload whose key another object has taken meanwhile leaves nothing at the service`()
        async throws
    {
        let kept = KeptData()
        for _ in 0..<3 { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) { try await put(film, kept) }
        try await store.put([1], at: key, contentType: "a/b")
        let taken = await #expect(throws: ObjectStoreError.self) {
            try await put(film, from: kept.last, kept)
        }
        #expect(taken?.code == .alreadyExists && server.pendingUploadCount(in: "media") == 0)
    }

    @Test
    func `what comes once goes in parts, each of which can be sent again, and leaves nothing when it fails`()
        async throws
    {
        func content() -> ObjectContent {
            let left = Mutex(film[...])
            return ObjectContent(size: film.count) {
                left.withLock { left in
                    defer { left = left.dropFirst(700) }
                    return left.isEmpty ? nil : Array(left.prefix(700))
                }
            }
        }
        let kept = KeptData()
        let options = PutOptions(contentType: "a/b")
        try await store.put(content(), at: key, options, report: kept.report)
        #expect(try await store.get(key, upTo: 5000) == film)
        #expect(try kept.last == nil)
        for _ in 0..<3 { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) {
            try await store.put(content(), at: ObjectKey("other"), options, report: kept.report)
        }
        #expect(server.pendingUploadCount(in: "media") == 0)
    }

    @Test func `an error that comes late, with 200, is one`() async throws {
        try server.faults.arm("s3.complete.lateError", atMost: 1)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(film, at: key, contentType: "a/b")
        }
        #expect(error?.code == .serverError && error?.detail.contains("InternalError") == true)
        #expect(server.objects(in: "media").isEmpty && server.pendingUploadCount(in: "media") == 0)
    }

    @Test func `a checkpoint of other content, or one that is damaged, starts the upload again`() async throws
    {
        let kept = KeptData()
        for _ in 0..<3 { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) { try await put(film, kept) }
        let good = try #require(try kept.last)
        var wrong = Array(repeating: good, count: 6)
        wrong[0].digest = String(repeating: "0", count: 64)
        wrong[1].size = 4400
        wrong[2].store = "https://elsewhere.example/media"
        wrong[3].place = ""
        wrong[4].place = good.place.replacing("\"number\":1", with: "\"number\":6")
        wrong[5].place = good.place.replacing("\"partSize\":1000", with: "\"partSize\":0")
        #expect(wrong.allSatisfy { $0 != good })
        for checkpoint in wrong {
            let before = numbers.count
            try await put(film, from: checkpoint, kept)
            #expect(numbers.count == before + 5)
            #expect(try await store.get(key, upTo: 5000) == film)
            try await store.remove(key)
        }
        // The one that nobody goes on with.
        #expect(server.pendingUploadCount(in: "media") == 1)
    }

    @Test func `what cannot be kept ends the upload`() async throws {
        struct Full: Error {}
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(ObjectContent(film), at: key, PutOptions(contentType: "a/b")) { progress in
                if progress.checkpoint?.confirmed == 2000 { throw Full() }
            }
        }
        #expect(error?.code == .cancelled && numbers == ["1", "2"])
    }
}

/// What a process leaves to the next one.
private final class KeptData: Sendable {
    private let data = Mutex<Data?>(nil)

    var last: UploadCheckpoint? {
        get throws {
            try data.withLock { $0 }.map { try JSONDecoder().decode(UploadCheckpoint.self, from: $0) }
        }
    }

    func report(_ progress: UploadProgress) throws {
        guard let checkpoint = progress.checkpoint else { return }
        let encoded = try JSONEncoder().encode(checkpoint)
        data.withLock { $0 = encoded }
    }
}
