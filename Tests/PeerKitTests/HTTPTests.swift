import Foundation
import HTTPTypes
import PeerKit
import Simulation
import Testing
import Transport

@Suite("PeerKit: HTTP")
struct HTTPTests {
    private func target(_ path: String) -> RequestTarget {
        RequestTarget(HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: path))
    }

    @Test func `a target is taken apart`() {
        let target = target("/a%2Fb//%C3%A9/?x=1+2&y=%26&x=3&flag&z=%zz")
        #expect(target.path == "/a%2Fb//%C3%A9/")
        #expect(target.segments == ["a/b", "", "é", ""])
        #expect(target["x"] == "1 2" && target["y"] == "&" && target["flag"] == "" && target["z"] == "%zz")
        #expect(target["w"] == nil)
    }

    @Test func `broken escapes in a path are seen`() {
        for path in ["/%", "/%4", "/%zz", "/a/%ff"] { #expect(target(path).segments == nil, "\(path)") }
    }

    @Test func `a query of many parameters is cut`() {
        let query = (0..<100_000).map { "p\($0)=\($0)" }.joined(separator: "&")
        let target = target("/?" + query)
        #expect(target["p\(RequestTarget.mostParameters - 1)"] == "\(RequestTarget.mostParameters - 1)")
        #expect(target["p\(RequestTarget.mostParameters)"] == nil)
    }

    @Test func `percent coding gives back any text`() {
        var random = EntropyStream(seed: 3, label: "percent")
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let encoded = PercentCoding.encode(text)
            #expect(PercentCoding.decode(encoded) == text)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
            // Whatever comes, there is an answer.
            _ = PercentCoding.decode(text + "%" + text)
        }
        #expect(PercentCoding.encode("a/b c", keeping: "/") == "a/b%20c")
    }

    @Test func `dates are written and read as RFC 9110 has them`() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        var random = EntropyStream(seed: 4, label: "dates")
        for _ in 0..<2000 {
            let seconds = Int64.random(in: 0...253_402_300_799, using: &random)
            let text = HTTPDate.text(seconds)
            #expect(HTTPDate.seconds(text) == seconds, "\(text)")
        }
        for text in [
            "", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "a b c d:e:f g h",
            String(repeating: "Sun, ", count: 100_000),
        ] {
            #expect(HTTPDate.seconds(text) == nil, "\(text.prefix(40))")
        }
    }

    @Test func `ranges are cut to the content, or refused`() {
        #expect(ByteRange.parse("bytes=0-0", size: 10) == 0..<1)
        #expect(ByteRange.parse("bytes=5-", size: 10) == 5..<10)
        #expect(ByteRange.parse("bytes=5-99", size: 10) == 5..<10)
        #expect(ByteRange.parse("bytes=-3", size: 10) == 7..<10)
        #expect(ByteRange.parse("bytes=-99", size: 10) == 0..<10)
        for text in [
            "bytes=10-", "bytes=3-2", "bytes=-0", "bytes=-", "bytes=a-b", "bytes=1-2,4-5", "items=0-1", "",
            "bytes=99999999999999999999-", "bytes=+1-2",
        ] {
            #expect(ByteRange.parse(text, size: 10) == nil, "\(text)")
        }
        // An empty content has no first byte, and no last ones either.
        #expect(ByteRange.parse("bytes=0-", size: 0) == nil && ByteRange.parse("bytes=-5", size: 0) == nil)
    }

    @Test func `a client that has the content is recognised`() {
        let validators = Validators(entityTag: "\"a\"", lastModified: Date(timeIntervalSince1970: 1000.7))
        func isKnown(_ fields: HTTPFields) -> Bool { validators.areKnown(to: fields) }
        #expect(isKnown([.ifNoneMatch: "\"b\", W/\"a\""]) && isKnown([.ifNoneMatch: "*"]))
        #expect(!isKnown([.ifNoneMatch: "\"b\""]) && !isKnown([:]))
        #expect(isKnown([.ifModifiedSince: HTTPDate.text(1000)]))
        #expect(!isKnown([.ifModifiedSince: HTTPDate.text(999)]))
        // A tag decides alone.
        #expect(!isKnown([.ifNoneMatch: "\"b\"", .ifModifiedSince: HTTPDate.text(1000)]))
    }

    @Test func `media types are read as tokens`() {
        #expect(MediaType("Image/JPEG; q=1")?.essence == "image/jpeg")
        #expect(MediaType("image/jpeg")?.isAdmitted(by: ["video/*", "IMAGE/*"]) == true)
        #expect(MediaType("image/jpeg")?.isAdmitted(by: ["image/png"]) == false)
        for text in [
            "", "image", "image/", "/", "a/b/c", "im age/x", String(repeating: "a", count: 300) + "/b",
        ] {
            #expect(MediaType(text) == nil, "\(text)")
        }
    }

    @Test func `an answer without a body keeps its length`() async throws {
        let answer = PeerAnswer.json(["a": 1])
        #expect(answer.response.head.headerFields[.contentLength] == "7")
        #expect(answer.withoutBody().response.head.headerFields[.contentLength] == "7")
        #expect(answer.withoutBody().response.body.length == 0)
        let page = PeerAnswer.page(status: 502).response
        #expect(page.head.headerFields[.contentType] == "text/html")
        await #expect(throws: TransportError.self) {
            try await answer.brokenInBody().response.body.collect(upTo: 100)
        }
    }
}
