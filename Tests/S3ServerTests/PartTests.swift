import AWSSignature
import Crypto
import HTTPTypes
import PlainXML
import S3Server
import Testing

@Suite("Simulated S3: uploads in parts")
struct PartTests {
    private let wire = Wire { $0.shortestPart = 100 }

    private func part(_ key: String, _ id: String, _ number: Int, _ bytes: [UInt8]) async -> String {
        await wire.send(.put, "/media/\(key)?partNumber=\(number)&uploadId=\(id)", body: bytes).headers[.eTag]
            ?? ""
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `parts come in any order, the last of a number counts, and nothing is seen before the end`()
        async
    {
        let id = await wire.begin("film", headers: ["content-type": "video/mp4", "x-amz-meta-a": "1"])
        let (first, second) = ([UInt8](repeating: 1, count: 100), Array("end".utf8))
        let late = await part("film", id, 7, second)
        _ = await part("film", id, 2, [9])
        let early = await part("film", id, 2, first)
        #expect(wire.server.objects(in: "media").isEmpty && wire.server.pendingUploadCount(in: "media") == 1)
        let listed = await wire.send(.get, "/media/film?uploadId=\(id)&max-parts=1")
        #expect(listed.document?.all("Part").map { $0["Size"] } == ["100"])
        #expect(listed.document?["IsTruncated"] == "true" && listed.document?["NextPartNumberMarker"] == "2")
        let rest = await wire.send(.get, "/media/film?uploadId=\(id)&part-number-marker=2")
        #expect(rest.document?.all("Part").map { $0["PartNumber"] } == ["7"])
        let done = await wire.complete("film", id, [(2, early), (7, late)])
        let digests = Array(Insecure.MD5.hash(data: first)) + Array(Insecure.MD5.hash(data: second))
        let tag = "\"\(hex(Insecure.MD5.hash(data: digests)))-2\""
        #expect(done.document?.name == "CompleteMultipartUploadResult" && done.document?["ETag"] == tag)
        let found = await wire.send(.get, "/media/film")
        #expect(found.bytes == first + second && found.headers[.eTag] == tag)
        #expect(found.headers[.contentType] == "video/mp4" && found.header("x-amz-meta-a") == "1")
        let across = await wire.send(.get, "/media/film", headers: ["range": "bytes=98-101"])
        #expect(across.bytes == [1, 1] + Array("en".utf8))
        #expect(wire.server.pendingUploadCount(in: "media") == 0)
        #expect(await wire.complete("film", id, [(2, early)]).refusal == "404 NoSuchUpload")
    }

    @Test func `a completion that is wrong changes nothing`() async {
        let id = await wire.begin("a")
        let (one, two) = (await part("a", id, 1, [1]), await part("a", id, 2, [2]))
        let wrong: [([(Int, String)], String)] = [
            ([(1, one), (2, two)], "400 EntityTooSmall"), ([(2, two), (1, one)], "400 InvalidPartOrder"),
            ([(2, two), (2, two)], "400 InvalidPartOrder"), ([(1, two)], "400 InvalidPart"),
            ([(3, one)], "400 InvalidPart"), ([], "400 MalformedXML"),
        ]
        for (parts, refusal) in wrong { #expect(await wire.complete("a", id, parts).refusal == refusal) }
        #expect(await wire.complete("b", id, [(1, one)]).refusal == "404 NoSuchUpload")
        #expect(
            await wire.send(.post, "/media/a?uploadId=\(id)", body: Array("<a>".utf8)).refusal
                == "400 MalformedXML"
        )
        await wire.put("there", at: "a")
        let conditional = await wire.complete("a", id, [(1, one)], headers: ["if-none-match": "*"])
        #expect(conditional.refusal == "412 PreconditionFailed")
        #expect(wire.server.pendingUploadCount(in: "media") == 1)
        #expect(await wire.send(.get, "/media/a").text == "there")
        #expect(await wire.complete("a", id, [(1, one)]).status == 200)
        #expect(await wire.send(.get, "/media/a").bytes == [1])
    }

    @Test(arguments: ["0", "10001", "x", "", "-1"])
    func `a number of a part is 1 to 10000`(_ number: String) async {
        let id = await wire.begin("a")
        let reply = await wire.send(.put, "/media/a?partNumber=\(number)&uploadId=\(id)", body: [1])
        #expect(reply.refusal == "400 InvalidArgument")
    }

    @Test func `uploads are listed, and forgotten when they are aborted`() async {
        let ids = [await wire.begin("b"), await wire.begin("a"), await wire.begin("a")]
        let all = await wire.send(.get, "/media?uploads")
        #expect(all.document?.all("Upload").map { $0["Key"] } == ["a", "a", "b"])
        var seen: [String] = []
        var marker = ""
        for _ in 0..<3 {
            let page = await wire.send(.get, "/media?uploads&max-uploads=1\(marker)").document
            seen += page?.all("Upload").compactMap { $0["UploadId"] } ?? []
            marker =
                "&key-marker=\(page?["NextKeyMarker"] ?? "")&upload-id-marker=\(page?["NextUploadIdMarker"] ?? "")"
        }
        #expect(Set(seen) == Set(ids))
        #expect(await wire.send(.get, "/media?uploads&prefix=b").document?.all("Upload").count == 1)
        _ = await part("b", ids[0], 1, [1])
        #expect(await wire.send(.delete, "/media/b?uploadId=\(ids[0])").status == 204)
        #expect(await wire.send(.delete, "/media/b?uploadId=\(ids[0])").refusal == "404 NoSuchUpload")
        #expect(await wire.send(.get, "/media/b?uploadId=\(ids[0])").refusal == "404 NoSuchUpload")
        #expect(
            await wire.send(.put, "/media/b?partNumber=1&uploadId=\(ids[0])", body: [1]).refusal
                == "404 NoSuchUpload"
        )
        #expect(wire.server.pendingUploadCount(in: "media") == 2)
    }

    @Test func `parts are copied from objects`() async {
        await wire.put(String(repeating: "0123456789", count: 20), at: "source")
        let id = await wire.begin("a")
        func copy(_ range: String?) async -> Wire.Reply {
            var headers = ["x-amz-copy-source": "media/source"]
            headers["x-amz-copy-source-range"] = range
            return await wire.send(.put, "/media/a?partNumber=1&uploadId=\(id)", headers: headers)
        }
        #expect(await copy("bytes=0-200").refusal == "400 InvalidArgument")
        let copied = await copy("bytes=5-14")
        #expect(copied.document?.name == "CopyPartResult")
        #expect(await wire.complete("a", id, [(1, copied.document?["ETag"] ?? "")]).status == 200)
        #expect(await wire.send(.get, "/media/a").text == "5678901234")
    }

    @Test func `checksums of parts make that of the object`() async {
        let id = await wire.begin("a", headers: ["x-amz-checksum-algorithm": "SHA256"])
        let bytes = [UInt8](repeating: 3, count: 100)
        let tag = await part("a", id, 1, bytes)
        let wrong = await wire.send(
            .put,
            "/media/a?partNumber=2&uploadId=\(id)",
            headers: ["x-amz-checksum-crc32": "y/Q5Jg=="],
            body: Array("123456789".utf8)
        )
        #expect(wrong.refusal == "400 InvalidRequest")
        #expect(await wire.complete("a", id, [(1, tag)]).document?["ChecksumType"] == "COMPOSITE")
        let head = await wire.send(.head, "/media/a", headers: ["x-amz-checksum-mode": "ENABLED"])
        #expect(head.header("x-amz-checksum-sha256")?.hasSuffix("=-1") == true)
        let whole = await wire.begin(
            "b",
            headers: ["x-amz-checksum-algorithm": "CRC32", "x-amz-checksum-type": "FULL_OBJECT"]
        )
        let only = await part("b", whole, 1, Array("123456789".utf8))
        let claimed = await wire.complete(
            "b",
            whole,
            [(1, only)],
            headers: ["x-amz-checksum-crc32": "AAAAAA=="]
        )
        #expect(claimed.refusal == "400 BadDigest")
        let right = await wire.complete(
            "b",
            whole,
            [(1, only)],
            headers: ["x-amz-checksum-crc32": "y/Q5Jg=="]
        )
        #expect(right.document?["ChecksumCRC32"] == "y/Q5Jg==")
        let unknown = await wire.send(.post, "/media/c?uploads", headers: ["x-amz-checksum-algorithm": "MD4"])
        #expect(unknown.refusal == "400 InvalidRequest")
    }
}
