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

    @Test(arguments: 0...6)
    func `an upload goes on where it was broken off, and sends no part twice`(_ good: Int) async throws {
        let kept = Mutex<Data?>(nil)
        for _ in 0..<good { client.meet(nil) }
        client.meet(.unreachable)
        await #expect(throws: ObjectStoreError.self) {
            try await store.putInParts(film, at: key, contentType: "a/b") { checkpoint in
                let data = try JSONEncoder().encode(checkpoint)
                kept.withLock { $0 = data }
            }
        }
        // Another process finds what was kept.
        let found = try kept.withLock { $0 }.map {
            try JSONDecoder().decode(S3UploadCheckpoint.self, from: $0)
        }
        #expect((found == nil) == (good == 0) && (found?.parts.count ?? 0) == max(0, good - 1))
        try await store.putInParts(film, at: key, contentType: "a/b", resuming: found) { _ in }
        #expect(try await store.get(key, upTo: 5000) == film)
        // The one that nothing of was sent counts once more.
        #expect(numbers.count == 5 + ((1...5).contains(good) ? 1 : 0))
        #expect(Set(numbers) == ["1", "2", "3", "4", "5"])
        #expect(server.pendingUploadCount(in: "media") == 0)
    }

    @Test func `a lost answer to the completion shows as network, and then as an upload that is not there`()
        async throws
    {
        let last = Mutex<S3UploadCheckpoint?>(nil)
        for _ in 0..<6 { client.meet(nil) }
        client.meet(.lostAnswer)
        let lost = await #expect(throws: ObjectStoreError.self) {
            try await store.putInParts(film, at: key, contentType: "a/b") { checkpoint in
                last.withLock { $0 = checkpoint }
            }
        }
        #expect(lost?.code == .network)
        let checkpoint = try #require(last.withLock { $0 })
        #expect(checkpoint.parts.count == 5 && !"\(checkpoint)".contains("simulated-secret"))
        let again = await #expect(throws: ObjectStoreError.self) {
            try await store.putInParts(film, at: key, contentType: "a/b", resuming: checkpoint) { _ in }
        }
        #expect(again?.code == .notFound)
        #expect(try await store.info(key)?.size == 4500)
        // Nothing to abort is no error.
        try await store.abort(checkpoint)
    }

    @Test func `an error that comes late, with 200, is one`() async throws {
        try server.faults.arm("s3.complete.lateError", atMost: 1)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put(film, at: key, contentType: "a/b")
        }
        #expect(error?.code == .serverError && error?.detail.contains("InternalError") == true)
        #expect(server.objects(in: "media").isEmpty && server.pendingUploadCount(in: "media") == 0)
    }

    @Test func `a checkpoint of another object is refused before anything is sent`() async throws {
        let good = S3UploadCheckpoint(key: key, size: 4500, partSize: 1000, uploadID: "id")
        var wrong = [good, good, good, good, good, good]
        wrong[0].key = ObjectKey("other")
        wrong[1].size = 4400
        wrong[2].partSize = 0
        wrong[3].uploadID = ""
        wrong[4].parts = [.init(number: 6, entityTag: "x")]
        wrong[5].parts = [.init(number: 2, entityTag: "x"), .init(number: 2, entityTag: "y")]
        for checkpoint in wrong {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.putInParts(film, at: key, contentType: "a/b", resuming: checkpoint) { _ in }
            }
            #expect(error?.code == .invalidRequest)
        }
        #expect(client.sent.isEmpty)
    }

    @Test func `what cannot be kept ends the upload`() async throws {
        struct Full: Error {}
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.putInParts(film, at: key, contentType: "a/b") { checkpoint in
                if checkpoint.parts.count == 2 { throw Full() }
            }
        }
        #expect(error?.code == .cancelled && numbers == ["1", "2"])
    }
}
