import AWSSignature
import HTTPTypes
import Testing

@Suite("Canonical requests")
struct CanonicalRequestTests {
    private func lines(_ path: String, _ fields: [(String, String)] = [], signing names: [String] = ["host"])
        throws
        -> [String]?
    {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:9000", path: path)
        for (name, value) in fields {
            request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return CanonicalRequest(of: request, signing: names, payload: .unsigned)?.text.components(by: "\n")
    }

    @Test(arguments: [
        ("/a/../b//c/./d", "/a/../b//c/./d"), ("/a b", "/a%20b"), ("/a%20b", "/a%20b"), ("/a+b", "/a%2Bb"),
        ("/~%7e", "/~~"), ("/a%2Fb", "/a/b"), ("/ü", "/%C3%BC"), ("/%c3%bc", "/%C3%BC"), ("", "/"),
    ])
    func `a path is escaped once, and not folded`(_ path: String, _ canonical: String) throws {
        #expect(try lines(path)?[1] == canonical)
    }

    @Test(arguments: [
        ("/?b=2&a=1&a=0", "a=0&a=1&b=2"), ("/?uploads", "uploads="), ("/?a=x+y", "a=x%20y"),
        ("/?a=b=c", "a=b%3Dc"), ("/?prefix=a/b", "prefix=a%2Fb"), ("/?B=1&a=2", "B=1&a=2"),
        ("/?X-Amz-Signature=1&a=2", "a=2"), ("/?a&a-b=1", "a=&a-b=1"),
    ])
    func `a query is escaped and sorted`(_ path: String, _ canonical: String) throws {
        #expect(try lines(path)?[2] == canonical)
    }

    @Test func `the port is part of the host, and values lose their extra blanks`() throws {
        let lines = try lines(
            "/",
            [("x-amz-meta-b", "  two   words "), ("x-amz-meta-a", "1"), ("x-amz-meta-a", "2")],
            signing: ["x-amz-meta-b", "host", "x-amz-meta-a", "x-amz-absent"]
        )
        #expect(
            lines?[3...7] == [
                "host:127.0.0.1:9000", "x-amz-absent:", "x-amz-meta-a:1,2", "x-amz-meta-b:two words", "",
            ]
        )
        #expect(lines?[8] == "host;x-amz-absent;x-amz-meta-a;x-amz-meta-b")
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/?a=%", "/?%g0=1"])
    func `a broken escape has no canonical form`(_ path: String) throws { #expect(try lines(path) == nil) }

    @Test func `a query of too many parameters has no canonical form`() throws {
        let pairs = (0...CanonicalRequest.mostParameters).map { "a\($0)" }.joined(separator: "&")
        #expect(try lines("/?" + pairs) == nil)
    }

    @Test func `instants are written and read`() {
        for text in ["20130524T000000Z", "19700101T000000Z", "20240229T235959Z", "99991231T235959Z"] {
            #expect(SigningTime(text)?.description == text)
        }
        for text in ["", "2013-05-24T00:00:00Z", "20131301T000000Z", "20130524T240000Z", "20130524T00000xZ"] {
            #expect(SigningTime(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        "", "AWS AKIA:abc", "AWS4-HMAC-SHA256",
        "AWS4-HMAC-SHA256 Credential=a/b,SignedHeaders=host,Signature=1",
        "AWS4-HMAC-SHA256 Credential=AK/20130524/r/s3/aws4_request,SignedHeaders=host",
        "AWS4-HMAC-SHA256 Credential=AK/2013052x/r/s3/aws4_request,SignedHeaders=host,Signature=1",
        "AWS4-HMAC-SHA256 Credential=AK/20130524/r/s3/other,SignedHeaders=host,Signature=1",
    ])
    func `a claim that is none is refused`(_ text: String) {
        #expect(throws: SignatureClaim.Malformed.self) { try SignatureClaim(authorization: text) }
    }

    @Test func `an access key may hold slashes`() throws {
        let claim = try SignatureClaim(
            authorization: "AWS4-HMAC-SHA256 Credential=A/K/20130524/eu-x/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=ab"
        )
        #expect(claim.accessKey == "A/K" && claim.scope.region == "eu-x")
        #expect(claim.signedHeaders == ["host", "x-amz-date"] && claim.signature == "ab")
    }
}

extension String {
    fileprivate func components(by separator: Character) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    }
}
