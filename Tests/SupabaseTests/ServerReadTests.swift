import Foundation
import HTTPTypes
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: reading")
struct ServerReadTests {
    @Test("a download has type, tag, date, caching and size, on every route that may read it")
    func download() async throws {
        let wire = try Wire()
        await wire.send(
            .post,
            "/object/media/a",
            headers: ["content-type": "image/jpeg", "cache-control": "max-age=5"],
            body: .text("hello")
        )
        for (path, key) in [
            ("/object/media/a", wire.project.anonymousKey), ("/object/media/a", nil),
            ("/object/media/a", "rubbish"), ("/object/public/media/a", nil),
            ("/object/authenticated/media/a", wire.project.anonymousKey),
        ] as [(String, String?)] {
            let reply = await wire.send(.get, path, key: .some(key))
            #expect(reply.status == 200)
            #expect(reply.text == "hello")
            #expect(reply.headers[.contentType] == "image/jpeg")
            #expect(reply.headers[.eTag] == "\"5d41402abc4b2a76b9719d911017c592\"")
            #expect(reply.headers[.cacheControl] == "max-age=5")
            #expect(reply.headers[.acceptRanges] == "bytes")
            #expect(reply.headers[.contentLength] == "5")
            #expect(reply.headers[.lastModified]?.hasSuffix(" GMT") == true)
            #expect(reply.headers[.accessControlAllowOrigin] == "*")
        }
        let refused = await wire.send(.get, "/object/authenticated/media/a", key: "rubbish")
        #expect(refused.refusal == ["400", "403", "Unauthorized"])
        #expect(await wire.send(.get, "/object/authenticated/media/a", key: .some(nil)).refusal[2] == "Error")
    }

    @Test("what a policy hides looks absent")
    func hidden() async throws {
        let wire = try Wire()
        await wire.put("x", at: "a", bucket: "vault")
        let anonymous = wire.project.anonymousKey
        #expect(
            await wire.send(.get, "/object/public/vault/a").refusal == ["400", "404", "Bucket not found"]
        )
        #expect(await wire.send(.get, "/object/vault/a", key: .some(nil)).refusal[2] == "Bucket not found")
        #expect(
            await wire.send(.get, "/object/vault/a", key: anonymous).refusal == ["400", "404", "not_found"]
        )
        #expect(await wire.send(.get, "/object/info/vault/a", key: anonymous).refusal[2] == "not_found")
        #expect(
            await wire.send(.post, "/object/list/vault", key: anonymous, json: "{\"prefix\":\"\"}").text
                == "[]"
        )
        #expect(
            await wire.send(.delete, "/object/vault", key: anonymous, json: "{\"prefixes\":[\"a\"]}").text
                == "[]"
        )
        #expect(await wire.send(.delete, "/object/vault/a", key: anonymous).refusal[2] == "not_found")
        #expect(await wire.send(.get, "/object/vault/a").text == "x")
    }

    @Test("HEAD gives the head of GET, and a bare 400 for what is absent")
    func head() async throws {
        let wire = try Wire()
        await wire.put("hello", at: "a")
        let there = await wire.send(.head, "/object/media/a")
        #expect(there.status == 200)
        #expect(there.bytes.isEmpty)
        #expect(there.headers[.contentLength] == "5")
        let absent = await wire.send(.head, "/object/media/b")
        #expect(absent.status == 400)
        #expect(absent.bytes.isEmpty)
    }

    @Test(
        "one range is served, clamped to the object",
        arguments: [
            ("bytes=0-0", "h", "0-0"), ("bytes=1-3", "ell", "1-3"), ("bytes=3-", "lo", "3-4"),
            ("bytes=-2", "lo", "3-4"), ("bytes=-99", "hello", "0-4"), ("bytes=4-99", "o", "4-4"),
        ]
    )
    func ranges(_ range: String, _ text: String, _ offsets: String) async throws {
        let wire = try Wire()
        await wire.put("hello", at: "a")
        let reply = await wire.send(.get, "/object/media/a", headers: ["range": range])
        #expect(reply.status == 206)
        #expect(reply.text == text)
        #expect(reply.headers[.contentRange] == "bytes \(offsets)/5")
    }

    @Test(
        "other ranges are refused with a true 416",
        arguments: [
            "bytes=5-", "bytes=3-2", "bytes=-0", "bytes=0-1,3-4", "bytes=", "bytes=-", "bytes=a-b",
            "items=0-1",
            "bytes=99999999999999999999-", "bytes=+1-2",
        ]
    )
    func badRanges(_ range: String) async throws {
        let wire = try Wire()
        await wire.put("hello", at: "a")
        let reply = await wire.send(.get, "/object/media/a", headers: ["range": range])
        #expect(reply.refusal == ["416", "416", "invalid_range"])
    }

    @Test("what has not changed is not sent again")
    func conditions() async throws {
        let wire = try Wire()
        await wire.put("hello", at: "a")
        let first = await wire.send(.get, "/object/media/a")
        let tag = try #require(first.headers[.eTag])
        let date = try #require(first.headers[.lastModified])
        func status(_ headers: [String: String]) async -> Int {
            await wire.send(.get, "/object/media/a", headers: headers).status
        }
        #expect(await status(["if-none-match": tag]) == 304)
        #expect(await status(["if-none-match": "\"other\", W/\(tag)"]) == 304)
        #expect(await status(["if-none-match": "*"]) == 304)
        #expect(await status(["if-none-match": "\"other\""]) == 200)
        #expect(await status(["if-modified-since": date]) == 304)
        #expect(await status(["if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"]) == 200)
        #expect(await status(["if-modified-since": "yesterday"]) == 200)
        // A tag decides before a date.
        #expect(await status(["if-none-match": "\"other\"", "if-modified-since": date]) == 200)
    }

    @Test("pages are served as text, and attachments under their name")
    func attachments() async throws {
        let wire = try Wire()
        await wire.put("<script>", at: "a", as: "text/html; charset=utf-8")
        let page = await wire.send(.get, "/object/media/a")
        #expect(page.headers[.contentType] == "text/plain")
        #expect(page.headers[.contentDisposition] == nil)
        let bare = await wire.send(.get, "/object/media/a?download")
        #expect(bare.headers[.contentDisposition] == "attachment;")
        let named = await wire.send(.get, "/object/media/a?download=%C3%A4%0D%0A.txt")
        let name = "%C3%A4%0D%0A.txt"
        #expect(
            named.headers[.contentDisposition] == "attachment; filename=\(name); filename*=UTF-8''\(name)"
        )
    }

    @Test("information tells size, type, tag and user metadata")
    func info() async throws {
        let wire = try Wire()
        let metadata = Data("{\"a\":1}".utf8).base64EncodedString()
        await wire.send(
            .post,
            "/object/media/a",
            headers: ["content-type": "image/jpeg", "x-metadata": metadata],
            body: .text("hello")
        )
        for path in [
            "/object/info/media/a", "/object/info/authenticated/media/a", "/object/info/public/media/a",
        ] {
            let reply = await wire.send(.get, path)
            #expect(reply.integer("size") == 5)
            #expect(reply["content_type"] == "image/jpeg")
            #expect(reply["etag"] == "\"5d41402abc4b2a76b9719d911017c592\"")
            #expect(reply["bucket_id"] == "media")
            #expect(reply.text.contains("\"metadata\":{\"a\":1}"))
        }
        #expect(await wire.send(.get, "/object/info/media/none").refusal == ["400", "404", "not_found"])
        #expect(await wire.send(.get, "/object/info/none/a").refusal == ["400", "404", "Bucket not found"])
    }

    @Test("a listing shows one level: folders, then objects, in order and by pages")
    func list() async throws {
        let wire = try Wire()
        for key in ["b/2", "b/1", "b/sub/x", "b/sub/y", "c", "a"] { await wire.put("x", at: key) }
        func names(_ json: String) async -> [String] {
            await wire.send(.post, "/object/list/media", json: json).rows.compactMap { $0["name"] as? String }
        }
        #expect(await names("{\"prefix\":\"\"}") == ["b", "a", "c"])
        #expect(await names("{\"prefix\":\"b\"}") == ["sub", "1", "2"])
        #expect(await names("{\"prefix\":\"b/\",\"limit\":1,\"offset\":1}") == ["1"])
        #expect(
            await names("{\"prefix\":\"b\",\"sortBy\":{\"column\":\"name\",\"order\":\"desc\"}}") == [
                "sub", "2", "1",
            ]
        )
        #expect(await names("{\"prefix\":\"b\",\"search\":\"S\"}") == ["sub"])
        #expect(await names("{\"prefix\":\"nothing\"}") == [])
        let rows = await wire.send(.post, "/object/list/media", json: "{\"prefix\":\"\"}").rows
        #expect(rows.first?["id"] is NSNull)
        #expect((rows.last?["metadata"] as? [String: Any])?["size"] as? Int == 1)
        #expect(await wire.send(.post, "/object/list/media", json: "{}").status == 400)
        #expect(await wire.send(.post, "/object/list/media", json: "{").status == 400)
    }

    @Test("the paged listing leads through everything once")
    func listPaged() async throws {
        let wire = try Wire()
        for key in ["a", "b/1", "b/2", "c"] { await wire.put("x", at: key) }
        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let mark = cursor.map { ",\"cursor\":\"\($0)\"" } ?? ""
            let json = "{\"limit\":1,\"with_delimiter\":true\(mark)}"
            let page = await wire.send(.post, "/object/list-v2/media", json: json)
            seen += (page.rows("folders") + page.rows("objects")).compactMap { $0["name"] as? String }
            cursor = page["nextCursor"]
        } while cursor != nil && seen.count < 10
        #expect(seen == ["a", "b/", "c"])
    }

    @Test("dates are written as RFC 9110 shows them")
    func dates() async throws {
        let wire = try Wire()
        await wire.put("x", at: "a")
        let text = try #require(await wire.send(.get, "/object/media/a").headers[.lastModified])
        let parser = DateFormatter()
        parser.locale = Locale(identifier: "en_US_POSIX")
        parser.timeZone = TimeZone(identifier: "GMT")
        parser.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = try #require(parser.date(from: text))
        #expect(abs(date.timeIntervalSinceNow) < 60)
        #expect(parser.string(from: date) == text)
    }
}
