import AWSSignature
import HTTPTypes
import PlainXML
import S3Server
import Testing
import Transport

@Suite("Simulated S3: objects")
struct ObjectTests {
    @Test func `an object keeps what the client says of it`() async {
        let wire = Wire()
        let stored = await wire.put(
            "hello",
            at: "a/b c+d.txt",
            headers: [
                "content-type": "text/plain", "cache-control": "max-age=1", "content-disposition": "inline",
                "x-amz-meta-place": "here", "content-language": "en", "content-encoding": "gzip,aws-chunked",
            ]
        )
        #expect(stored.status == 200 && stored.bytes.isEmpty)
        #expect(stored.headers[.eTag] == "\"5d41402abc4b2a76b9719d911017c592\"")
        let found = await wire.send(.get, "/media/a/b%20c%2Bd.txt")
        #expect(found.text == "hello" && found.headers[.contentType] == "text/plain")
        #expect(found.headers[.cacheControl] == "max-age=1" && found.headers[.contentDisposition] == "inline")
        #expect(found.header("x-amz-meta-place") == "here" && found.headers[.contentEncoding] == "gzip")
        #expect(found.headers[.contentLength] == "5" && found.headers[.acceptRanges] == "bytes")
        #expect(found.header("x-amz-request-id")?.count == 16 && found.headers[.lastModified] != nil)
        let head = await wire.send(.head, "/media/a/b%20c%2Bd.txt")
        #expect(head.bytes.isEmpty && head.headers[.contentLength] == "5")
        let other = await wire.send(
            .get,
            "/media/a/b%20c%2Bd.txt?response-content-type=a%2Fb&response-expires=never"
        )
        #expect(other.headers[.contentType] == "a/b" && other.headers[.expires] == "never")
        #expect(wire.server.objects(in: "media").first?.metadata == ["place": "here"])
        #expect(wire.server.object("a/b c+d.txt", in: "media") == wire.server.objects(in: "media").first)
        #expect(wire.server.object("a", in: "media") == nil && wire.server.object("a", in: "none") == nil)
        #expect(await wire.put("x", at: "plain").status == 200)
        #expect(await wire.send(.get, "/media/plain").headers[.contentType] == "binary/octet-stream")
    }

    @Test(
        arguments: [
            ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=3-", 206, "3456789", "bytes 3-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=5-100", 206, "56789", "bytes 5-9/10"),
            ("bytes=10-", 416, nil, nil), ("bytes=0-1,3-4", 200, "0123456789", nil),
            ("bytes=5-2", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
        ] as [(String, Int, String?, String?)]
    )
    func `a range is a part of the bytes`(_ range: String, _ status: Int, _ text: String?, _ place: String?)
        async
    {
        let wire = Wire()
        await wire.put("0123456789", at: "a")
        let reply = await wire.send(.get, "/media/a", headers: ["range": range])
        #expect(reply.status == status && reply.headers[.contentRange] == place)
        if let text { #expect(reply.text == text) } else { #expect(reply.refusal == "416 InvalidRange") }
    }

    @Test(
        arguments: [
            ("if-match", "TAG", 200), ("if-match", "\"other\"", 412), ("if-match", "*", 200),
            ("if-none-match", "TAG", 304), ("if-none-match", "\"other\"", 200), ("if-none-match", "*", 304),
            ("if-modified-since", "PAST", 200), ("if-modified-since", "FUTURE", 304),
            ("if-modified-since", "no date", 200), ("if-unmodified-since", "PAST", 412),
            ("if-unmodified-since", "FUTURE", 200),
        ]
    )
    func `reads have conditions`(_ name: String, _ value: String, _ status: Int) async {
        let wire = Wire()
        let tag = await wire.put("x", at: "a").headers[.eTag] ?? ""
        let seconds = wire.now.seconds
        let value = value.replacing("TAG", with: tag).replacing("PAST", with: HTTPDate.text(seconds - 5000))
            .replacing("FUTURE", with: HTTPDate.text(seconds + 5000))
        for method in [HTTPRequest.Method.get, .head] {
            let reply = await wire.send(method, "/media/a", headers: [name: value])
            #expect(reply.status == status)
            if status == 304 { #expect(reply.headers[.eTag] == tag && reply.bytes.isEmpty) }
        }
    }

    @Test func `of two conditions on tag and date the tag decides`() async {
        let wire = Wire()
        let tag = await wire.put("x", at: "a").headers[.eTag] ?? ""
        let past = HTTPDate.text(wire.now.seconds - 5000)
        let matched = await wire.send(
            .get,
            "/media/a",
            headers: ["if-match": tag, "if-unmodified-since": past]
        )
        #expect(matched.status == 200)
        let known = await wire.send(
            .get,
            "/media/a",
            headers: ["if-none-match": tag, "if-modified-since": past]
        )
        #expect(known.status == 304)
    }

    @Test func `writes have conditions`() async {
        let wire = Wire()
        #expect(await wire.put("1", at: "a", headers: ["if-match": "\"x\""]).refusal == "404 NoSuchKey")
        let tag = await wire.put("1", at: "a", headers: ["if-none-match": "*"]).headers[.eTag] ?? ""
        let again = await wire.put("2", at: "a", headers: ["if-none-match": "*"])
        #expect(again.refusal == "412 PreconditionFailed" && again.document?["Condition"] == "If-None-Match")
        #expect(
            await wire.put("2", at: "a", headers: ["if-match": "\"x\""]).refusal == "412 PreconditionFailed"
        )
        #expect(await wire.put("2", at: "a", headers: ["if-match": tag]).status == 200)
        #expect(await wire.put("3", at: "a", headers: ["if-none-match": tag]).refusal == "501 NotImplemented")
        #expect(
            await wire.send(.delete, "/media/a", headers: ["if-match": tag]).refusal
                == "412 PreconditionFailed"
        )
        #expect(await wire.send(.get, "/media/a").text == "2")
        #expect(wire.server.events.map(\.kind) == [.created, .replaced])
    }

    @Test func `an absent object can be deleted, and is not there otherwise`() async {
        let wire = Wire()
        #expect(await wire.send(.delete, "/media/none").status == 204)
        let absent = await wire.send(.get, "/media/none")
        #expect(absent.refusal == "404 NoSuchKey" && absent.document?["Key"] == "none")
        #expect(absent.document?["Resource"] == "/media/none" && absent.document?["HostId"]?.isEmpty == false)
        #expect(absent.document?["RequestId"] == absent.header("x-amz-request-id"))
        #expect(await wire.send(.head, "/media/none").bytes.isEmpty)
        for (method, path) in [
            (.get, "/absent-bucket/a"), (.put, "/absent-bucket/a"), (.get, "/absent-bucket"),
        ]
            as [(HTTPRequest.Method, String)]
        {
            #expect(await wire.send(method, path).refusal == "404 NoSuchBucket")
        }
    }

    @Test func `a copy has bytes and fields of its source, or fields of its own`() async {
        let wire = Wire()
        let tag =
            await wire.put("text", at: "a b", headers: ["x-amz-meta-a": "1", "content-type": "text/plain"])
            .headers[.eTag] ?? ""
        let source = ["x-amz-copy-source": "/media/a%20b"]
        func copy(_ key: String, _ more: [String: String] = [:]) async -> Wire.Reply {
            await wire.send(.put, "/vault/\(key)", headers: source.merging(more) { $1 })
        }
        let copied = await copy("b")
        #expect(copied.document?.name == "CopyObjectResult" && copied.document?["ETag"] == tag)
        #expect(await wire.send(.get, "/vault/b").header("x-amz-meta-a") == "1")
        #expect(
            await copy("c", ["x-amz-metadata-directive": "REPLACE", "content-type": "a/b"]).status == 200
        )
        let replaced = await wire.send(.get, "/vault/c")
        #expect(replaced.text == "text" && replaced.header("x-amz-meta-a") == nil)
        #expect(replaced.headers[.contentType] == "a/b")
        #expect(await copy("d", ["x-amz-copy-source-if-match": "\"x\""]).refusal == "412 PreconditionFailed")
        #expect(await copy("d", ["x-amz-copy-source-if-none-match": tag]).refusal == "412 PreconditionFailed")
        #expect(await copy("b", ["if-none-match": "*"]).refusal == "412 PreconditionFailed")
        #expect(await copy("d", ["x-amz-metadata-directive": "OTHER"]).refusal == "400 InvalidArgument")
        let itself = await wire.send(.put, "/media/a%20b", headers: source)
        #expect(itself.refusal == "400 InvalidRequest")
        for (place, refusal) in [
            ("media", "400 InvalidArgument"), ("media/none", "404 NoSuchKey"), ("none/a", "404 NoSuchBucket"),
            ("media/%zz", "400 InvalidArgument"),
        ] {
            let reply = await wire.send(.put, "/vault/d", headers: ["x-amz-copy-source": place])
            #expect(reply.refusal == refusal)
        }
        #expect(wire.server.objects(in: "vault").map(\.key) == ["b", "c"])
    }

    @Test func `many are removed at once`() async {
        let wire = Wire()
        for key in ["a", "b<&>", "c"] { await wire.put("x", at: key) }
        func remove(_ keys: [String], quiet: Bool = false, headers: [String: String] = [:]) async
            -> Wire.Reply
        {
            let lines = keys.map { PlainElement("Object", [PlainElement("Key", $0)]) }
            let body = PlainElement("Delete", lines + [PlainElement("Quiet", "\(quiet)")]).document()
            return await wire.send(.post, "/media?delete", headers: headers, body: body)
        }
        #expect(await remove(["a"]).refusal == "400 InvalidRequest")
        let sum = ["content-md5": "AAAAAAAAAAAAAAAAAAAAAA=="]
        #expect(await remove(["a"], headers: sum).refusal == "400 BadDigest")
        let wrong = ["x-amz-checksum-crc32": "AAAAAA=="]
        #expect(await remove(["a"], headers: wrong).refusal == "400 BadDigest")
        #expect(wire.server.objects(in: "media").count == 3)
    }

    @Test func `buckets are made and removed`() async {
        let wire = Wire()
        #expect(await wire.send(.put, "/new-bucket").status == 200)
        #expect(await wire.send(.put, "/new-bucket").refusal == "409 BucketAlreadyOwnedByYou")
        let region = PlainElement("CreateBucketConfiguration", [PlainElement("LocationConstraint", "eu-x-1")])
        #expect(
            await wire.send(.put, "/other", body: region.document()).refusal
                == "400 IllegalLocationConstraintException"
        )
        #expect(await wire.send(.put, "/other", body: Array("<x".utf8)).refusal == "400 MalformedXML")
        for name in [
            "ab", "Upper", "a..b", "-ab", "ab-", "1.2.3.4", "xn--abc", String(repeating: "a", count: 64),
            "a_b",
        ] {
            #expect(await wire.send(.put, "/\(name)").refusal == "400 InvalidBucketName", "\(name)")
        }
        let list = await wire.send(.get, "/")
        let buckets = list.document?.children.first { $0.name == "Buckets" }?.all("Bucket")
        #expect(buckets?.compactMap { $0["Name"] } == ["media", "new-bucket", "vault"])
        #expect(await wire.send(.head, "/new-bucket").header("x-amz-bucket-region") == "us-east-1")
        await wire.put("x", at: "a", bucket: "new-bucket")
        #expect(await wire.send(.delete, "/new-bucket").refusal == "409 BucketNotEmpty")
        await wire.send(.delete, "/new-bucket/a")
        #expect(await wire.send(.delete, "/new-bucket").status == 204)
        #expect(await wire.send(.head, "/new-bucket").status == 404)
        #expect(await wire.send(.get, "/media?location").document?.name == "LocationConstraint")
    }
}
