import Foundation
import HTTPTypes
import PlainXML
import S3Server
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Simulated S3: state in a folder")
struct KeptStateTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID())").path

    /// A server that begins with what the folder holds.
    private func opened(_ change: (inout S3Account) -> Void = { _ in }) throws -> Wire {
        try Wire(folder: folder) {
            $0.shortestPart = 10
            change(&$0)
        }
    }

    private func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/contents")
    }

    private func part(_ wire: Wire, _ id: String, _ number: Int, _ text: String) async -> String {
        let path = "/media/film?partNumber=\(number)&uploadId=\(id)"
        return await wire.send(.put, path, body: Array(text.utf8)).headers[.eTag] ?? ""
    }

    @Test func `objects and buckets outlive the server with all that is known of them`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try opened()
        await first.send(.put, "/attic")
        let headers = [
            "content-type": "text/plain", "x-amz-meta-place": "here", "x-amz-checksum-crc32": "NhCmhg==",
            "cache-control": "max-age=7",
        ]
        #expect(await first.put("hello", at: "a/é ü", headers: headers).status == 200)
        let before = await first.send(
            .get,
            "/media/a/%C3%A9%20%C3%BC",
            headers: ["x-amz-checksum-mode": "ENABLED"]
        )

        let second = try opened()
        let after = await second.send(
            .get,
            "/media/a/%C3%A9%20%C3%BC",
            headers: ["x-amz-checksum-mode": "ENABLED"]
        )
        #expect(after.bytes == Array("hello".utf8))
        for name in [
            "content-type", "x-amz-meta-place", "x-amz-checksum-crc32", "cache-control", "etag",
            "last-modified",
        ] {
            #expect(before.header(name) != nil && after.header(name) == before.header(name), "\(name)")
        }
        #expect(await second.send(.head, "/attic").status == 200)
        #expect(await second.send(.get, "/media?list-type=2").keys == ["a/é ü"])
        // Who is not signed may read the public bucket still, and the other one not.
        #expect(await second.send(.get, "/media/a/%C3%A9%20%C3%BC", signing: .nothing).status == 200)
        #expect(await second.send(.get, "/vault/a", signing: .nothing).status == 403)

        #expect(await second.send(.delete, "/media/a/%C3%A9%20%C3%BC").status == 204)
        #expect(await second.send(.delete, "/attic").status == 204)
        let third = try opened()
        #expect(await third.send(.get, "/media?list-type=2").keys == [])
        #expect(await third.send(.head, "/attic").status == 404)
        #expect(try contents() == [])
    }

    @Test func `an upload in parts goes on at a server that is started later`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try opened()
        let id = await first.begin(
            "film",
            headers: ["content-type": "video/mp4", "x-amz-checksum-algorithm": "CRC64NVME"]
        )
        let early = await part(first, id, 1, "ten bytes.")
        _ = await part(first, id, 2, "forgotten.")

        let second = try opened()
        let listed = await second.send(.get, "/media?uploads").document?.all("Upload").compactMap {
            $0["Key"]
        }
        #expect(listed == ["film"])
        let late = await part(second, id, 2, "of bytes.")
        _ = await part(second, id, 3, "which nobody wants")
        let done = await second.complete("film", id, [(1, early), (2, late)])
        #expect(done.status == 200 && done.document?["ChecksumCRC64NVME"] != nil)
        #expect(try contents().count == 2)

        let third = try opened()
        let film = await third.send(.get, "/media/film")
        #expect(film.text == "ten bytes.of bytes." && film.headers[.contentType] == "video/mp4")
        #expect(film.headers[.eTag]?.hasSuffix("-2\"") == true)
        let range = await third.send(.get, "/media/film", headers: ["range": "bytes=8-11"])
        #expect(range.status == 206 && range.text == "s.of")
        #expect(await third.complete("film", id, [(1, early)]).refusal == "404 NoSuchUpload")
        #expect(await third.send(.delete, "/media/film").status == 204)
        #expect(try contents() == [])
    }

    @Test func `an upload that was completed just before the end of the process is not open any more`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try opened()
        let id = await first.begin("film")
        let tag = await part(first, id, 1, "all of it")
        let (uploads, kept) = (folder + "/uploads", folder + "/uploads-before")
        try FileManager.default.copyItem(atPath: uploads, toPath: kept)
        #expect(await first.complete("film", id, [(1, tag)]).status == 200)
        // As if the process had ended between the two records.
        try FileManager.default.removeItem(atPath: uploads)
        try FileManager.default.moveItem(atPath: kept, toPath: uploads)

        let second = try opened()
        #expect(second.server.pendingUploadCount(in: "media") == 0)
        #expect(await second.send(.delete, "/media/film?uploadId=\(id)").refusal == "404 NoSuchUpload")
        #expect(await second.send(.get, "/media/film").text == "all of it")
    }

    @Test func `a copy has bytes of its own, and metadata can be replaced in place`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try opened()
        await first.put("hello", at: "a")
        #expect(await first.send(.put, "/vault/b", headers: ["x-amz-copy-source": "/media/a"]).status == 200)
        let replacing = [
            "x-amz-copy-source": "/media/a", "x-amz-metadata-directive": "REPLACE", "x-amz-meta-k": "v",
        ]
        #expect(await first.send(.put, "/media/a", headers: replacing).status == 200)
        #expect(try contents().count == 2)
        await first.send(.delete, "/media/a")
        let second = try opened()
        #expect(await second.send(.get, "/vault/b").text == "hello")
        #expect(try contents().count == 1)
    }

    @Test func `bytes that no record names are deleted, and records whose bytes are gone are left out`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try opened()
        await first.put("hello", at: "a")
        let kept = try #require(try contents().first)
        await first.put("world", at: "b")
        let lost = try #require(try contents().first { $0 != kept })
        try Data("half an upl".utf8).write(to: URL(filePath: folder + "/contents/stray"))
        try FileManager.default.removeItem(atPath: folder + "/contents/" + lost)
        let second = try opened()
        #expect(await second.send(.get, "/media?list-type=2").keys == ["a"])
        #expect(try contents() == [kept])
    }

    @Test func `a download that began before its object was replaced gets all of the old bytes`() async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try opened()
        let old = [UInt8].pattern(300_000)
        await wire.send(.put, "/media/a", body: old)
        let (request, _) = wire.signed(.get, "/media/a")
        let answer = await wire.server.respond(to: request, body: .empty)
        await wire.put("new", at: "a")
        #expect(try await answer.body.collect(upTo: 1_000_000) == old)
        #expect(await wire.send(.get, "/media/a").text == "new")
    }

    @Test func `an upload of far more bytes than the memory may hold goes to the disk as it comes`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (chunk, count) = ([UInt8].pattern(1 << 20), 64)
        func put(_ wire: Wire) async -> Wire.Reply {
            let left = Mutex(count)
            let stream = ByteStream { () async throws(TransportError) in
                left.withLock { left in
                    guard left > 0 else { return nil }
                    left -= 1
                    return chunk
                }
            }
            let (request, _) = wire.signed(.put, "/media/film", signing: .unsignedBody)
            return await wire.send(request, .stream(stream, length: chunk.count * count))
        }
        // The same account without a folder has no room for it.
        #expect(await put(Wire { $0.memoryLimit = 1 << 20 }).refusal == "507 InsufficientStorage")
        let wire = try opened { $0.memoryLimit = 1 << 20 }
        #expect(await put(wire).status == 200)
        let (request, _) = wire.signed(.get, "/media/film")
        let answer = await wire.server.respond(to: request, body: .empty)
        var (size, longest) = (0, 0)
        for try await piece in try await answer.body.chunks() {
            // No piece reaches over the end of a chunk.
            let start = size % chunk.count
            #expect(piece == Array(chunk[start..<start + piece.count]))
            size += piece.count
            longest = max(longest, piece.count)
        }
        #expect(size == chunk.count * count && longest <= 1 << 16)
    }

    @Test func `an upload that is refused leaves no file`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try opened()
        #expect(
            await wire.put("hello", at: "a", headers: ["content-md5": "XrY7u+Ae7tCTyyK7j1rNww=="]).refusal
                == "400 BadDigest"
        )
        #expect(await wire.put("hello", at: "a", headers: ["if-match": "\"0\""]).status >= 400)
        #expect(try contents() == [])
    }

    @Test(arguments: UInt64(0)..<24)
    func `a server that is restarted between any two requests answers as one that never ended`(
        seed: UInt64
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var numbers = SeededGenerator(seed: seed)
        let steady = Wire { $0.shortestPart = 10 }
        var restarted = try opened()
        // Identifiers of uploads differ.
        var uploads: [(steady: String, restarted: String, tags: [Int: String])] = []
        for step in 0..<40 {
            if Bool.random(using: &numbers) { restarted = try opened() }
            let key = "k\(Int.random(in: 0..<4, using: &numbers))"
            let text = "text number \(step)"
            var replies: [Wire.Reply] = []
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0, 1: for wire in [steady, restarted] { replies.append(await wire.put(text, at: key)) }
            case 2:
                for wire in [steady, restarted] { replies.append(await wire.send(.delete, "/media/\(key)")) }
            case 3:
                let source = ["x-amz-copy-source": "/media/k0", "x-amz-metadata-directive": "REPLACE"]
                for wire in [steady, restarted] {
                    replies.append(await wire.send(.put, "/media/\(key)", headers: source))
                }
            case 4: uploads.append((await steady.begin("film"), await restarted.begin("film"), [:]))
            case 5 where !uploads.isEmpty:
                let index = uploads.indices.randomElement(using: &numbers) ?? 0
                let number = Int.random(in: 1...3, using: &numbers)
                uploads[index].tags[number] = await part(steady, uploads[index].steady, number, text)
                #expect(
                    await part(restarted, uploads[index].restarted, number, text)
                        == uploads[index].tags[number]
                )
            case 6 where !uploads.isEmpty:
                let upload = uploads.remove(at: uploads.indices.randomElement(using: &numbers) ?? 0)
                let parts = upload.tags.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                let tags = [
                    await steady.complete("film", upload.steady, parts),
                    await restarted.complete("film", upload.restarted, parts),
                ].map { [$0.refusal, $0.document?["ETag"] ?? ""] }
                #expect(tags[0] == tags[1])
            case 7 where !uploads.isEmpty:
                let upload = uploads.removeFirst()
                replies.append(await steady.send(.delete, "/media/film?uploadId=\(upload.steady)"))
                replies.append(await restarted.send(.delete, "/media/film?uploadId=\(upload.restarted)"))
            default: break
            }
            #expect(
                Set(replies.map(\.refusal)).count <= 1 && Set(replies.map { $0.headers[.eTag] }).count <= 1
            )
        }
        restarted = try opened()
        let (there, wanted) = (restarted.server.objects(in: "media"), steady.server.objects(in: "media"))
        #expect(there == wanted)
        #expect(
            restarted.server.pendingUploadCount(in: "media") == steady.server.pendingUploadCount(in: "media")
        )
    }
}
