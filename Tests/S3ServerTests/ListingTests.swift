import AWSSignature
import HTTPTypes
import PlainXML
import S3Server
import Testing

@Suite("Simulated S3: listings")
struct ListingTests {
    private func filled(_ keys: [String]) async -> Wire {
        let wire = Wire()
        for key in keys { await wire.put("x", at: key) }
        return wire
    }

    /// All pages of a listing.
    private func pages(
        _ wire: Wire,
        _ query: String,
        paged: Bool
    ) async -> (lines: [String], pages: Int) {
        var (lines, pages, marker) = ([String](), 0, "")
        while pages < 100 {
            let reply = await wire.send(.get, "/media?\(query)\(marker)")
            let document = reply.document
            // In the order in which they would come in one listing.
            lines += (reply.keys + reply.folders).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            pages += 1
            guard document?["IsTruncated"] == "true" else { break }
            let next = paged ? document?["NextContinuationToken"] : document?["NextMarker"] ?? reply.keys.last
            marker = "&\(paged ? "continuation-token" : "marker")=\(CanonicalEncoding.encode(next ?? ""))"
        }
        return (lines, pages)
    }

    @Test(arguments: [false, true], [1, 2, 3, 1000])
    func `a listing goes through its pages in the order of bytes, each key once`(_ paged: Bool, _ size: Int)
        async
    {
        // Two ways to write é, which are two keys; and keys around the delimiter.
        let keys = ["B", "a", "a!", "a/1", "a/2", "a/b/c", "a0", "e\u{301}", "é", "z/", "z//x", "𝄞"]
        let wire = await filled(keys)
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let version = paged ? "list-type=2&" : ""
        let all = await pages(wire, version + "max-keys=\(size)", paged: paged)
        #expect(all.lines.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        #expect(all.pages == max(1, (keys.count + size - 1) / size))
        let folded = await pages(wire, version + "delimiter=/&max-keys=\(size)", paged: paged)
        let wanted = ["B", "a", "a!", "a/", "a0", "e\u{301}", "z/", "é", "𝄞"]
        #expect(folded.lines.map { Array($0.utf8) } == wanted.map { Array($0.utf8) })
        let inside = await pages(wire, version + "delimiter=/&prefix=a/&max-keys=\(size)", paged: paged)
        #expect(inside.lines == ["a/1", "a/2", "a/b/"])
    }

    @Test func `a listing says what was asked for`() async {
        let wire = await filled(["a b", "c&d/1", "c&d/2", "é"])
        let reply = await wire.send(.get, "/media?list-type=2&encoding-type=url&delimiter=/&max-keys=2")
        #expect(reply.keys == ["a%20b"] && reply.folders == ["c%26d/"])
        let document = reply.document
        #expect(document?.name == "ListBucketResult" && document?["Name"] == "media")
        #expect(
            document?["KeyCount"] == "2" && document?["MaxKeys"] == "2" && document?["IsTruncated"] == "true"
        )
        #expect(document?["EncodingType"] == "url" && document?["Delimiter"] == "/")
        let line = document?.all("Contents").first
        #expect(line?["Size"] == "1" && line?["ETag"] == "\"9dd4e461268c8034f5c8564e155c67a6\"")
        #expect(line?["StorageClass"] == "STANDARD" && line?["LastModified"]?.hasSuffix(".000Z") == true)
        let after = await wire.send(.get, "/media?list-type=2&start-after=c")
        #expect(after.keys == ["c&d/1", "c&d/2", "é"])
        let none = await wire.send(.get, "/media?list-type=2&max-keys=0")
        #expect(none.keys.isEmpty && none.document?["IsTruncated"] == "false")
        let capped = await wire.send(.get, "/media?max-keys=5000")
        #expect(capped.document?["MaxKeys"] == "1000")
    }

    @Test(arguments: [
        "max-keys=-1", "max-keys=x", "max-keys=99999999999", "encoding-type=other",
        "list-type=2&continuation-token=%21",
        "list-type=2&continuation-token=",
    ])
    func `what is no listing is refused`(_ query: String) async {
        #expect(await Wire().send(.get, "/media?" + query).refusal == "400 InvalidArgument")
    }
}
