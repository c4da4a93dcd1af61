import Foundation
import HTTPTypes
import SupabaseServer
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: bytes on disk and in memory")
struct ServerContentTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "supabase-\(UUID())").path

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/bytes")
    }

    private func size(_ file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(folder)/bytes/\(file)")[.size] as? Int
    }

    /// A body of chunks, before each of which something is done.
    private func body(
        _ chunks: [[UInt8]],
        before: @escaping @Sendable (Int) throws -> Void
    ) -> HTTPBody {
        let next = Mutex(0)
        let stream = ByteStream { () async throws(TransportError) in
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            do { try before(index) } catch {
                throw TransportError(.reset, operation: "read body", peer: "client", detail: "\(error)")
            }
            return index < chunks.count ? chunks[index] : nil
        }
        return .stream(stream, length: nil)
    }

    @Test func `an upload lies in its file as it comes, and a download comes from it in pieces`() async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try Wire { $0.folder = folder }
        let chunk = [UInt8].pattern(100_000)
        let seen = Mutex<[Int?]>([])
        let upload = body([chunk, chunk, chunk]) { [self] _ in
            let size = try files().first.flatMap { try self.size($0) }
            seen.withLock { $0.append(size) }
        }
        #expect(await wire.send(.post, "/object/media/a", body: upload).status == 200)
        #expect(seen.withLock { $0 } == [0, 100_000, 200_000, 300_000])
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "project.example",
            path: "/storage/v1/object/public/media/a"
        )
        let answer = await wire.server.respond(to: request, body: .empty)
        #expect(answer.head.headerFields[.contentLength] == "300000")
        guard case .stream(let stream, _) = answer.body else {
            Issue.record("the whole object was read at once")
            return
        }
        // The object is removed while it is read; a reader that has begun reads all of it.
        #expect(await wire.send(.delete, "/object/media/a").status == 200)
        #expect(try files().isEmpty)
        var pieces: [[UInt8]] = []
        for try await piece in stream { pieces.append(piece) }
        #expect(pieces.allSatisfy { $0.count <= 1 << 16 } && pieces.count > 4)
        #expect(pieces.flatMap { $0 } == chunk + chunk + chunk)
    }

    @Test func `an upload that breaks, is too large or comes second leaves no file`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        struct Cut: Error {}
        let wire = try Wire {
            $0.folder = folder
            $0.sizeLimit = 1000
        }
        let cut = body([[1, 2, 3], [4]]) { if $0 == 1 { throw Cut() } }
        #expect(await wire.send(.post, "/object/media/a", body: cut).status == 400)
        let large = body([[UInt8](repeating: 1, count: 900), [UInt8](repeating: 1, count: 200)]) { _ in }
        #expect(await wire.send(.post, "/object/media/a", body: large).refusal[1] == "413")
        #expect(try files().isEmpty)
        // Both are on their way before either is stored.
        let gate = Gate(2)
        async let one = wire.send(.post, "/object/media/b", body: gate.body([1]))
        async let other = wire.send(.post, "/object/media/b", body: gate.body([3]))
        #expect(await Set([one.status, other.status]) == [200, 400])
        #expect(try files().count == 1)
    }

    @Test func `a copy keeps its bytes when the first is gone, and ranges read from files`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try Wire { $0.folder = folder }
        await wire.put("0123456789", at: "a")
        let json = "{\"bucketId\":\"media\",\"sourceKey\":\"a\",\"destinationKey\":\"b\"}"
        #expect(await wire.send(.post, "/object/copy", json: json).status == 200)
        await wire.send(.delete, "/object/media/a")
        let part = await wire.send(.get, "/object/media/b", headers: ["range": "bytes=3-5"])
        #expect(part.status == 206 && part.text == "345")
        let second = try Wire { $0.folder = folder }
        #expect(second.server.objects(in: "media").map(\.key) == ["b"])
        #expect(await second.send(.get, "/object/media/b").text == "0123456789")
        #expect(await second.send(.head, "/object/media/b").headers[.contentLength] == "10")
    }

    @Test func `memory is bounded, and what is removed makes room`() async throws {
        let wire = try Wire { $0.memoryLimit = 10_000 }
        let text = String(repeating: "x", count: 3000)
        #expect(await wire.put(text, at: "a").status == 200)
        #expect(await wire.put(text, at: "b").status == 200)
        #expect(await wire.put(text, at: "c").status == 507)
        #expect(await wire.put("small", at: "d").status == 200)
        // A copy shares the bytes, and has a row of its own.
        let json = "{\"bucketId\":\"media\",\"sourceKey\":\"d\",\"destinationKey\":\"e\"}"
        #expect(await wire.send(.post, "/object/copy", json: json).status == 507)
        #expect(await wire.send(.delete, "/object/media/a").status == 200)
        #expect(await wire.send(.post, "/object/copy", json: json).status == 200)
        #expect(await wire.send(.delete, "/object/media/b").status == 200)
        #expect(await wire.put(text, at: "c").status == 200)
        #expect(wire.server.objects(in: "media").map(\.key) == ["c", "d", "e"])
    }

    @Test func `pages of a listing hold what the bucket holds, whatever the page size`() async throws {
        let wire = try Wire()
        var random = SeededGenerator(seed: 77)
        var keys: Set<String> = []
        let parts = ["a", "b", "a-", "a0", "ab", "z z", "A"]
        while keys.count < 300 {
            let depth = Int.random(in: 1...4, using: &random)
            keys.insert(
                (0..<depth).map { _ in parts.randomElement(using: &random) ?? "" }.joined(separator: "/")
                    + "\(Int.random(in: 0..<9, using: &random))"
            )
        }
        for key in keys { await wire.put("x", at: key.replacing(" ", with: "%20")) }
        for (prefix, folded) in [("", false), ("", true), ("a", true), ("a/", true), ("a/b", false)] {
            let wanted = Set(
                keys.filter { $0.hasPrefix(prefix) }.map { key -> String in
                    let slash = key.dropFirst(prefix.count).firstIndex(of: "/")
                    return folded ? slash.map { String(key[...$0]) } ?? key : key
                }
            ).sorted()
            for size in [1, 7, 1000] {
                var names: [String] = []
                var cursor: String?
                repeat {
                    var question: [String: Any] = [
                        "prefix": prefix, "with_delimiter": folded, "limit": size,
                    ]
                    question["cursor"] = cursor
                    let json = String(
                        decoding: try JSONSerialization.data(withJSONObject: question),
                        as: UTF8.self
                    )
                    let page = await wire.send(.post, "/object/list-v2/media", json: json)
                    let lines = page.rows("folders") + page.rows("objects")
                    #expect(lines.count <= size)
                    names += lines.compactMap { $0["name"] as? String }.sorted()
                    cursor = page["nextCursor"]
                } while cursor != nil
                #expect(names == wanted, "\(prefix) \(folded) \(size)")
            }
        }
    }
}
