import Foundation
import HTTPTypes
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: buckets, moves, removals, signed addresses")
struct ServerChangeTests {
    @Test("buckets are made, read, listed, changed, emptied and deleted")
    func buckets() async throws {
        let wire = try Wire { $0.emptyingTime = .zero }
        let json = "{\"id\":\"new\",\"name\":\"new\",\"public\":true,\"file_size_limit\":\"20kb\"}"
        #expect(await wire.send(.post, "/bucket", json: json)["name"] == "new")
        #expect(await wire.send(.post, "/bucket", json: json).refusal == ["400", "409", "Duplicate"])
        let made = await wire.send(.get, "/bucket/new")
        #expect(made.integer("file_size_limit") == 20_000)
        #expect(made.text.contains("\"allowed_mime_types\":null"))
        #expect(await wire.send(.get, "/bucket").rows.count == 3)
        let update = await wire.send(.put, "/bucket/new", json: "{\"public\":false,\"file_size_limit\":null}")
        #expect(update["message"] == "Successfully updated")
        #expect(await wire.send(.get, "/bucket/new").text.contains("\"public\":false"))
        await wire.put("x", at: "a", bucket: "new")
        #expect(
            await wire.send(.delete, "/bucket/new", json: "{}").refusal == ["400", "409", "ResourceNotEmpty"]
        )
        #expect(await wire.send(.post, "/bucket/new/empty", json: "{}").status == 200)
        #expect(await wire.send(.delete, "/bucket/new")["message"] == "Successfully deleted")
        #expect(await wire.send(.get, "/bucket/new").refusal == ["400", "404", "Bucket not found"])
    }

    @Test("a bucket is emptied after the answer")
    func emptying() async throws {
        let wire = try Wire { $0.emptyingTime = .seconds(3600) }
        await wire.put("x", at: "a")
        await wire.send(.post, "/bucket/media/empty", json: "{}")
        #expect(await wire.send(.get, "/object/media/a").status == 200)
        #expect(await wire.send(.delete, "/bucket/media", json: "{}").refusal[1] == "409")
    }

    @Test("bad names, limits and strangers are refused")
    func badBuckets() async throws {
        let wire = try Wire()
        for name in ["", "a/b", " a", "a ", "ä", String(repeating: "a", count: 101)] {
            #expect(
                await wire.send(.post, "/bucket", json: "{\"name\":\"\(name)\"}").refusal[2]
                    == "Invalid Input"
            )
        }
        let huge = await wire.send(.post, "/bucket", json: "{\"name\":\"b\",\"file_size_limit\":\"1GB\"}")
        #expect(huge.refusal == ["400", "413", "Payload too large"])
        let anonymous = wire.project.anonymousKey
        #expect(
            await wire.send(.post, "/bucket", key: anonymous, json: "{\"name\":\"b\"}").refusal[1] == "403"
        )
        #expect(await wire.send(.get, "/bucket", key: anonymous).text == "[]")
        #expect(await wire.send(.get, "/bucket/media", key: anonymous).refusal[1] == "404")
    }

    @Test("a move takes the object along, and refuses a taken name")
    func move() async throws {
        let wire = try Wire()
        let id = await wire.put("x", at: "a")["Id"]
        await wire.put("y", at: "b")
        func move(_ source: String, _ target: String) async -> Wire.Reply {
            let json = "{\"bucketId\":\"media\",\"sourceKey\":\"\(source)\",\"destinationKey\":\"\(target)\"}"
            return await wire.send(.post, "/object/move", json: json)
        }
        #expect(await move("a", "b").refusal == ["400", "409", "Duplicate"])
        #expect(await move("a", "ä").refusal[2] == "InvalidKey")
        #expect(await move("none", "c").refusal[2] == "not_found")
        #expect(await move("a", "a")["Key"] == "a")
        let moved = await move("a", "c/d")
        #expect(moved["Key"] == "c/d")
        #expect(moved["Id"] == id)
        #expect(wire.server.objects(in: "media").map(\.key) == ["b", "c/d"])
    }

    @Test("a copy is an object of its own")
    func copy() async throws {
        let wire = try Wire()
        let id = await wire.put("x", at: "a")["Id"]
        let json =
            "{\"bucketId\":\"media\",\"sourceKey\":\"a\",\"destinationKey\":\"b\",\"destinationBucket\":\"vault\"}"
        let copied = await wire.send(.post, "/object/copy", json: json)
        #expect(copied["Key"] == "vault/b")
        #expect(copied["Id"] != id)
        #expect(await wire.send(.post, "/object/copy", json: json).refusal == ["400", "409", "Duplicate"])
        #expect(wire.server.objects(in: "vault").map(\.bytes) == [[120]])
        #expect(wire.server.objects(in: "media").count == 1)
    }

    @Test("removal tells what it removed, and passes over the rest")
    func remove() async throws {
        let wire = try Wire()
        for key in ["a", "b", "c"] { await wire.put("x", at: key) }
        let reply = await wire.send(
            .delete,
            "/object/media",
            json: "{\"prefixes\":[\"b\",\"none\",\"a\",\"a\"]}"
        )
        #expect(reply.rows.compactMap { $0["name"] as? String } == ["a", "b"])
        #expect(await wire.send(.delete, "/object/media/c")["message"] == "Successfully deleted")
        #expect(await wire.send(.delete, "/object/media/c").refusal[2] == "not_found")
        #expect(await wire.send(.delete, "/object/media", json: "{}").status == 400)
        #expect(wire.server.objects(in: "media").isEmpty)
    }

    @Test("a signed address reads that object, and nothing else")
    func signedRead() async throws {
        let wire = try Wire()
        await wire.put("secret", at: "a%20b", bucket: "vault")
        await wire.put("other", at: "c", bucket: "vault")
        let signed = await wire.send(.post, "/object/sign/vault/a%20b", json: "{\"expiresIn\":\"60\"}")
        let url = try #require(signed["signedURL"])
        #expect(url.hasPrefix("/object/sign/vault/a%20b?token="))
        #expect(await wire.send(.get, url, key: .some(nil)).text == "secret")
        let token = url.split(separator: "=").last ?? ""
        #expect(
            await wire.send(.get, "/object/sign/vault/c?token=\(token)", key: .some(nil)).refusal[2]
                == "InvalidSignature"
        )
        #expect(
            await wire.send(.put, "/object/upload/sign/vault/a%20b?token=\(token)", body: .text("x")).refusal[
                2
            ]
                == "InvalidSignature"
        )
        let expired = wire.project.key(of: .anonymous, expiry: Date())
        #expect(await wire.send(.get, "/object/sign/vault/c?token=\(expired)").refusal[2] == "InvalidJWT")
        #expect(await wire.send(.get, "/object/sign/vault/c").status == 400)
        #expect(await wire.send(.post, "/object/sign/vault/c", json: "{\"expiresIn\":0}").status == 400)
        let absent = await wire.send(.post, "/object/sign/vault/none", json: "{\"expiresIn\":1}")
        #expect(absent.refusal[2] == "not_found")
        let many = await wire.send(
            .post,
            "/object/sign/vault",
            json: "{\"expiresIn\":5,\"paths\":[\"none\",\"c\"]}"
        )
        #expect(many.rows.map { $0["signedURL"] is NSNull } == [true, false])
        #expect(many.rows.map { $0["error"] is NSNull } == [false, true])
    }

    @Test("a signed upload address is good for one new object")
    func signedUpload() async throws {
        let wire = try Wire()
        let anonymous = wire.project.anonymousKey
        let refused = await wire.send(.post, "/object/upload/sign/vault/a", key: anonymous)
        #expect(refused.refusal == ["400", "403", "Unauthorized"])
        let url = try #require(await wire.send(.post, "/object/upload/sign/vault/a")["url"])
        #expect(await wire.send(.put, url, key: .some(nil), body: .text("x"))["Key"] == "vault/a")
        let again = await wire.send(
            .put,
            url,
            key: .some(nil),
            headers: ["x-upsert": "true"],
            body: .text("y")
        )
        #expect(again.refusal == ["400", "409", "Duplicate"])
        #expect(await wire.send(.post, "/object/upload/sign/vault/a").refusal[2] == "Duplicate")
        #expect(await wire.send(.get, url, key: .some(nil)).status != 200)
    }

    @Test func `a thousand objects are removed at once, and one more is refused`() async throws {
        let wire = try Wire()
        await wire.put("x", at: "a0")
        for (count, status) in [(1001, 400), (1000, 200)] {
            let keys = (0..<count).map { "\"a\($0)\"" }.joined(separator: ",")
            let reply = await wire.send(.delete, "/object/media", json: "{\"prefixes\":[\(keys)]}")
            #expect(reply.status == status, "\(reply.text)")
        }
        #expect(wire.server.objects(in: "media").isEmpty)
    }
}
