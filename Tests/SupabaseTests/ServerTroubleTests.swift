import Foundation
import HTTPTypes
import PeerKit
import SupabaseServer
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: faults and persistence")
struct ServerTroubleTests {
    @Test("failures come for the requests that they are armed for, and no others")
    func armed() async throws {
        let wire = try Wire()
        try wire.server.faults.arm("supabase.upload.refused", skipping: 1, atMost: 2)
        try wire.server.faults.arm("http.502", skipping: 5, atMost: 1)
        #expect(await wire.put("x", at: "a").status == 200)
        #expect(await wire.send(.get, "/object/media/a").status == 200)
        #expect(await wire.put("x", at: "b").refusal == ["500", "500", "Internal"])
        #expect(await wire.put("x", at: "b").status == 500)
        #expect(await wire.put("x", at: "b").status == 200)
        let page = await wire.send(.get, "/object/info/media/a")
        #expect(page.status == 502)
        #expect(page.headers[.contentType] == "text/html")
        #expect(await wire.send(.get, "/object/info/media/a").status == 200)
        #expect(wire.server.events.map(\.key) == ["a", "b"])
        #expect(wire.server.requestCount == 7)
        try wire.server.faults.arm("http.502")
        wire.server.faults.disarm()
        #expect(await wire.put("x", at: "c").status == 200)
    }

    @Test(
        "an answer is lost after the effect, and the second try is recognised",
        arguments: [
            ("supabase.upload.answerLost", [:]), ("supabase.upload.answerLost", ["silence": 0.001]),
            ("supabase.upload.answerCut", [:]),
        ] as [(String, [String: Double])]
    )
    func lostAnswers(_ point: String, _ values: [String: Double]) async throws {
        let wire = try Wire()
        try wire.server.faults.arm(point, values: values, atMost: 1)
        let reply = await wire.put("x", at: "a")
        #expect(reply["Key"] == nil)
        #expect(wire.server.objects(in: "media").count == 1)
        #expect(await wire.put("x", at: "a").refusal[1] == "409")
        #expect(wire.server.events.map(\.kind) == [.created, .refusedDuplicate])
    }

    private func folder() -> String {
        FileManager.default.temporaryDirectory.appending(path: "supabase-\(UUID())").path
    }

    @Test(
        "a refusal has the service's own form, and stores nothing",
        arguments: [(403, 400, "Unauthorized"), (500, 500, "Internal"), (503, 503, "Internal")]
    )
    func refusals(_ status: Int, _ http: Int, _ label: String) async throws {
        let wire = try Wire()
        try wire.server.faults.arm("supabase.upload.refused", values: ["status": Double(status)], atMost: 1)
        let reply = await wire.put("x", at: "a")
        #expect(reply.status == http && reply.refusal == ["\(http)", "\(status)", label])
        #expect(wire.server.objects(in: "media").isEmpty)
        #expect(await wire.put("x", at: "a").status == 200)
    }

    @Test("a server that starts on the folder of another finds what that stored")
    func persists() async throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try Wire { $0.folder = folder }
        await first.put("one", at: "kept")
        await first.put("two", at: "moved")
        await first.put("three", at: "gone")
        await first.put("four", at: "changed")
        await first.send(.put, "/object/media/changed", body: .text("five"))
        let json = "{\"bucketId\":\"media\",\"sourceKey\":\"moved\",\"destinationKey\":\"to/here\"}"
        await first.send(.post, "/object/move", json: json)
        await first.send(.delete, "/object/media/gone")
        await first.send(.post, "/bucket", json: "{\"name\":\"a b?\"}")
        await first.send(.delete, "/bucket/vault")
        let second = try Wire {
            $0.folder = folder
            $0.buckets = []
        }
        #expect(second.server.objects(in: "media") == first.server.objects(in: "media"))
        #expect(second.server.objects(in: "media").map(\.key) == ["changed", "kept", "to/here"])
        #expect(
            await second.send(.get, "/bucket").rows.compactMap { $0["id"] as? String } == ["a b?", "media"]
        )
        #expect(await second.put("again", at: "kept").refusal[1] == "409")
    }

    @Test("a server that starts on the folder of another goes on with its uploads in parts")
    func persistsParts() async throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bytes = [UInt8].pattern(100_000)
        let first = try Wire { $0.folder = folder }
        let begun = await first.begin("a", length: bytes.count)
        #expect(await first.patch(begun.address, at: 0, .bytes(Array(bytes[..<70_000]))).status == 204)
        let deferred = await first.begin("b", length: nil)
        let cancelled = await first.begin("c", length: 10)
        let fields = ["tus-resumable": "1.0.0"]
        #expect(await first.send(.delete, cancelled.address, headers: fields).status == 204)

        let second = try Wire { $0.folder = folder }
        #expect(await second.head(begun.address).offset == 70_000)
        #expect(await second.head(cancelled.address).status == 404)
        #expect(await second.patch(begun.address, at: 70_000, .bytes(Array(bytes[70_000...]))).status == 204)
        let length = ["upload-length": "0"]
        #expect(await second.patch(deferred.address, at: 0, .empty, headers: length).status == 204)
        #expect(second.server.objects(in: "media").map(\.bytes) == [bytes, []])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/bytes").count == 2)

        let third = try Wire { $0.folder = folder }
        #expect(third.server.objects(in: "media") == second.server.objects(in: "media"))
        #expect(await third.head(begun.address).offset == 100_000)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/uploads")
        #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix(".json") })
    }

    @Test("bytes without a row and rows without bytes are not objects")
    func interrupted() async throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try Wire { $0.folder = folder }
        await first.put("one", at: "a")
        await first.put("two", at: "b")
        let bytes = folder + "/bytes"
        let stored = try FileManager.default.contentsOfDirectory(atPath: bytes).sorted()
        #expect(stored.count == 2)
        try FileManager.default.removeItem(atPath: "\(bytes)/\(stored[0])")
        try Data("orphan".utf8).write(to: URL(filePath: "\(bytes)/orphan"))
        try Data("{".utf8).write(to: URL(filePath: "\(folder)/rows/half-written"))
        let second = try Wire { $0.folder = folder }
        #expect(second.server.objects(in: "media").count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bytes) == [stored[1]])
    }

    @Test("thousands of random requests get an answer in one of the service's forms")
    func randomRequests() async throws {
        var random = SeededGenerator(seed: 184)
        let wire = try Wire()
        let words = [
            "object", "bucket", "media", "vault", "public", "info", "sign", "upload", "list", "move", "copy",
            "a",
            "..", "%2e", "%", "%00", "%ff", "", "list-v2", "authenticated", "empty", "a?token=x.y.z",
            "?download",
        ]
        let bodies = [
            "", "{}", "{", "[]", "{\"prefix\":7}", "{\"prefixes\":[1]}", "{\"prefixes\":[\"a\"]}",
            "{\"name\":null}",
            "{\"bucketId\":\"media\",\"sourceKey\":\"a\",\"destinationKey\":\"b\"}", "{\"expiresIn\":1e99}",
            String(repeating: "[", count: 10_000), "{\"prefix\":\"\",\"limit\":-1}", "{\"public\":1}",
        ]
        let keys: [String?] = [nil, "", "x", "..", wire.project.anonymousKey, wire.project.serviceKey]
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .head, .patch, .options]
        for _ in 0..<5000 {
            let count = Int.random(in: 0...5, using: &random)
            let path = (0..<count).map { _ in "/" + (words.randomElement(using: &random) ?? "") }.joined()
            let reply = await wire.send(
                methods.randomElement(using: &random) ?? .get,
                path,
                key: keys.randomElement(using: &random) ?? nil,
                headers: ["content-type": "application/json", "range": "bytes=0-\(count)"],
                body: .text(bodies.randomElement(using: &random) ?? "")
            )
            if reply.status >= 400, !reply.bytes.isEmpty {
                #expect(reply["statusCode"] != nil && reply["error"] != nil && reply["message"] != nil)
            }
            #expect(reply.status != 500, "\(path): \(reply.text)")
        }
    }
}
