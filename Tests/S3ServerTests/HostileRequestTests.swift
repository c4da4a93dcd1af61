import HTTPTypes
import PlainXML
import S3Server
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Simulated S3: requests that nobody should send")
struct HostileRequestTests {
    @Test(
        arguments: [
            (.get, "/%", "400 InvalidURI"), (.get, "/media/%ff", "400 InvalidURI"),
            (.patch, "/media/a", "405 MethodNotAllowed"),
            (.post, "/media/a", "405 MethodNotAllowed"), (.post, "/media", "405 MethodNotAllowed"),
            (.delete, "/", "405 MethodNotAllowed"), (.get, "/media?acl", "501 NotImplemented"),
            (.get, "/media/a?tagging", "501 NotImplemented"),
            (.get, "/media/a?versionId=1", "501 NotImplemented"),
            (.get, "/media/a?uploadId=none", "404 NoSuchUpload"), (.get, "//", "200 "),
        ] as [(HTTPRequest.Method, String, String)]
    )
    func `what the service does not do is refused by its name`(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ refusal: String
    ) async {
        #expect(await Wire().send(method, path).refusal == refusal)
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `whatever comes is answered, in the form of the service`(_ seed: UInt64) async {
        let wire = Wire()
        await wire.put("x", at: "a")
        var generator = SeededGenerator(seed: seed)
        let names = [
            "authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-decoded-content-length",
            "x-amz-trailer",
            "content-md5", "range", "if-match", "if-modified-since", "x-amz-copy-source",
            "x-amz-checksum-crc32",
        ]
        let words = [
            "%", "\u{0}", "é", "=", ";", ",", "AWS4-HMAC-SHA256 ", "Credential=", "/", "bytes=", "-", "9",
            "STREAMING-", "*",
        ]
        for _ in 0..<50 {
            func text() -> String {
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    words.randomElement(using: &generator) ?? ""
                }.joined()
            }
            let methods: [HTTPRequest.Method] = [.get, .put, .post, .delete, .head, .options]
            var (request, _) = wire.signed(
                methods.randomElement(using: &generator) ?? .get,
                "/media/a?"
                    + (["uploads", "delete", "uploadId=1", "list-type=2"].randomElement(using: &generator)
                        ?? "")
            )
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let value = text().filter { $0 != "\u{0}" && $0.isASCII }
                if let name = HTTPField.Name(names.randomElement(using: &generator) ?? "") {
                    request.headerFields[name] = value
                }
            }
            if Bool.random(using: &generator) { request.path = "/" + text() }
            let reply = await wire.send(request, .text(text()))
            #expect(reply.status < 500 || reply.status == 501, "\(request): \(reply.text)")
            #expect(
                reply.status < 400 || reply.bytes.isEmpty || reply.document?["Code"] != nil,
                "\(reply.text)"
            )
        }
    }

    @Test func `documents with entities of their own are refused`() async {
        let bomb =
            "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;\">]><Delete><Object><Key>&c;</Key></Object></Delete>"
        let headers = ["content-md5": ""]
        let reply = await Wire().send(.post, "/media?delete", headers: headers, body: Array(bomb.utf8))
        #expect(reply.refusal == "400 InvalidDigest")
        let completion = await Wire().send(.post, "/media/a?uploadId=x", body: Array(bomb.utf8))
        #expect(completion.refusal == "400 MalformedXML")
    }

    @Test func `browsers of the right origins are let in`() async {
        let wire = Wire()
        await wire.put("x", at: "a")
        func preflight(_ origin: String?, _ method: String?, _ path: String = "/media/a") async -> Wire.Reply
        {
            var headers: [String: String] = [:]
            headers["origin"] = origin
            headers["access-control-request-method"] = method
            headers["access-control-request-headers"] = "content-type, x-amz-date"
            return await wire.send(.options, path, headers: headers, signing: .nothing)
        }
        let allowed = await preflight("https://app.example.org", "PUT")
        #expect(allowed.status == 200)
        #expect(allowed.header("access-control-allow-origin") == "https://app.example.org")
        #expect(allowed.header("access-control-allow-headers") == "content-type, x-amz-date")
        #expect(await preflight("https://example.net", "PUT").refusal == "403 AccessForbidden")
        #expect(await preflight("https://app.example.org", "PATCH").refusal == "403 AccessForbidden")
        #expect(
            await preflight("https://app.example.org", "PUT", "/vault/a").refusal == "403 AccessForbidden"
        )
        #expect(await preflight(nil, "PUT").refusal == "400 BadRequest")
        #expect(await preflight("https://app.example.org", nil).refusal == "400 BadRequest")
        let page = await wire.send(.get, "/media/a", headers: ["origin": "https://app.example.org"])
        #expect(page.header("access-control-expose-headers") == "ETag")
        let stranger = await wire.send(.get, "/media/a", headers: ["origin": "https://example.net"])
        #expect(stranger.status == 200 && stranger.header("access-control-allow-origin") == nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `of several that write a new key at once one succeeds, in every order`(_ seed: UInt64) throws {
        let statuses = try Simulation(seed: seed).run {
            let wire = Wire()
            return await withTaskGroup(of: Int.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        await wire.put("\(number)", at: "a", headers: ["if-none-match": "*"]).status
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(statuses.sorted() == [200, 412, 412, 412, 412])
    }
}
