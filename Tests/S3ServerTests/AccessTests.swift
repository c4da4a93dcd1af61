import AWSSignature
import HTTPTypes
import PlainXML
import S3Server
import Services
import Testing
import Transport

@Suite("Simulated S3: signatures")
struct AccessTests {
    private let body = Array("some bytes".utf8)

    @Test func `a request is served however it is signed, and by path and host`() async {
        var wire = Wire()
        for signing in [
            Wire.Signing.header, .unsignedBody, .query(60), .chunks(.signed), .chunks(.unsignedWithTrailer),
            .chunks(.signedWithTrailer),
        ] {
            let stored = await wire.send(.put, "/vault/a%20b/ü", body: body, signing: signing)
            #expect(stored.status == 200, "\(signing): \(stored.text)")
            #expect(await wire.send(.get, "/vault/a%20b/%C3%BC").bytes == body)
            wire.host = "vault.s3.example.com"
            #expect(
                await wire.send(.get, "/a%20b/%C3%BC", signing: signing).status == 200 || !isRead(signing)
            )
            wire.host = "s3.example.com"
            await wire.send(.delete, "/vault/a%20b/ü")
        }
    }

    /// Chunks are for uploads.
    private func isRead(_ signing: Wire.Signing) -> Bool {
        if case .chunks = signing { false } else { true }
    }

    @Test func `what was changed after it was signed is refused, and nothing is stored`() async throws {
        let wire = Wire()
        let changes: [(String, (inout HTTPRequest) -> Void)] = [
            ("method", { $0.method = .delete }),
            ("path", { $0.path = $0.path?.replacing("/vault/a", with: "/vault/b") }),
            ("query", { $0.path = ($0.path ?? "") + (($0.path ?? "").contains("?") ? "&" : "?") + "x=1" }),
            ("host", { $0.authority = "other.example.com" }),
            ("type", { $0.headerFields[.contentType] = "image/png" }),
        ]
        for signing in [Wire.Signing.header, .query(60)] {
            for (what, change) in changes {
                var (request, sent) = wire.signed(
                    .put,
                    "/vault/a",
                    headers: ["content-type": "image/jpeg"],
                    body: body,
                    signing: signing
                )
                change(&request)
                let reply = await wire.send(request, .bytes(sent))
                #expect(reply.refusal == "403 SignatureDoesNotMatch", "\(what)")
                #expect(reply.document?["StringToSign"]?.hasPrefix("AWS4-HMAC-SHA256\n") == true)
                #expect(!reply.text.contains(wire.credentials.secretKey.reveal()))
            }
        }
        #expect(wire.server.objects(in: "vault").isEmpty && wire.server.events.isEmpty)
    }

    @Test func `bodies that are not what was signed are refused`() async {
        let wire = Wire()
        let (request, _) = wire.signed(.put, "/vault/a", body: body)
        #expect(await wire.send(request, .text("other byte")).refusal == "400 XAmzContentSHA256Mismatch")
        for chunks in [SignedPayload.Chunks.signed, .signedWithTrailer] {
            let large = [UInt8](repeating: 1, count: 25_000)
            var (request, sent) = wire.signed(.put, "/vault/a", body: large, signing: .chunks(chunks))
            sent[15_000] ^= 1
            #expect(await wire.send(request, .bytes(sent)).refusal == "403 SignatureDoesNotMatch")
            request.headerFields[.contentLength] = nil
            #expect(await wire.send(request, .bytes(Array(sent.dropLast(20)))).status >= 400)
        }
        #expect(wire.server.objects(in: "vault").isEmpty)
    }

    @Test func `clocks may be off by fifteen minutes, and addresses end`() async {
        var wire = Wire()
        for (skew, isServed) in [(-899, true), (899, true), (-905, false), (905, false)] as [(Int64, Bool)] {
            wire.skew = skew
            let reply = await wire.send(.get, "/vault?list-type=2")
            #expect(reply.refusal == (isServed ? "200 " : "403 RequestTimeTooSkewed"), "\(skew)")
        }
        wire.skew = -100
        await wire.put("x", at: "a")
        #expect(await wire.send(.get, "/vault", signing: .query(130)).status == 200)
        let expired = await wire.send(.get, "/vault", signing: .query(90))
        #expect(
            expired.refusal == "403 AccessDenied" && expired.document?["Message"] == "Request has expired"
        )
        #expect(expired.document?["X-Amz-Expires"] == "90" && expired.document?["ServerTime"] != nil)
        #expect(await wire.send(.get, "/vault", signing: .query(0)).refusal == "403 AccessDenied")
        wire.skew = 2000
        #expect(
            await wire.send(.get, "/vault", signing: .query(60)).document?["Message"]
                == "Request is not valid yet"
        )
    }

    @Test func `wrong keys, regions and tokens are refused by their names`() async {
        var wire = Wire()
        wire.region = "eu-central-1"
        let moved = await wire.send(.get, "/vault")
        #expect(
            moved.refusal == "400 AuthorizationHeaderMalformed" && moved.document?["Region"] == "us-east-1"
        )
        #expect(
            await wire.send(.get, "/vault", signing: .query(9)).refusal
                == "400 AuthorizationQueryParametersError"
        )
        wire.region = "us-east-1"
        wire.credentials.accessKey = "NOBODY"
        #expect(await wire.send(.get, "/vault").refusal == "403 InvalidAccessKeyId")
        wire.credentials = S3Account.constantCredentials
        wire.credentials.secretKey = Secret("another")
        #expect(await wire.send(.get, "/vault").refusal == "403 SignatureDoesNotMatch")
        wire.credentials = S3Account.constantCredentials
        wire.credentials.sessionToken = Secret("unwanted")
        #expect(await wire.send(.get, "/vault").refusal == "400 InvalidToken")
        var temporary = Wire { $0.credentials[0].sessionToken = Secret("token/+=") }
        #expect(await temporary.send(.get, "/vault").refusal == "400 InvalidToken")
        temporary.credentials.sessionToken = Secret("token/+=")
        #expect(await temporary.send(.get, "/vault").status == 200)
        #expect(await temporary.send(.get, "/vault", signing: .query(9)).status == 200)
    }

    @Test(arguments: [
        ("X-Amz-Expires=60", "X-Amz-Expires=604801", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=-1", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=x", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "a=b", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Expires=60", "X-Amz-Expires=61", "403 SignatureDoesNotMatch"),
        ("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=AWS4", "400 AuthorizationQueryParametersError"),
        ("%2Fs3%2F", "%2Fsqs%2F", "400 AuthorizationQueryParametersError"),
        ("%2Faws4_request", "", "400 AuthorizationQueryParametersError"),
        ("X-Amz-Date=", "X-Amz-Date=x", "400 AuthorizationQueryParametersError"),
        ("X-Amz-SignedHeaders=host", "X-Amz-SignedHeaders=date", "403 AccessDenied"),
    ])
    func `a signed query that is none is refused`(_ old: String, _ new: String, _ refusal: String) async {
        let wire = Wire()
        var (request, _) = wire.signed(.get, "/vault", signing: .query(60))
        let path = request.path ?? ""
        request.path = path.replacing(old, with: new)
        #expect(request.path != path)
        #expect(await wire.send(request, .empty).refusal == refusal)
    }

    @Test func `one mechanism is enough, and every field of the service is signed`() async {
        let wire = Wire()
        var (request, _) = wire.signed(.get, "/vault", signing: .query(60))
        request.headerFields[.authorization] = "AWS4-HMAC-SHA256 Credential=a"
        #expect(await wire.send(request, .empty).refusal == "400 InvalidArgument")
        for signing in [Wire.Signing.header, .query(60)] {
            var (added, _) = wire.signed(.put, "/vault/a", signing: signing)
            if let name = HTTPField.Name("x-amz-meta-added") { added.headerFields[name] = "1" }
            let reply = await wire.send(added, .bytes([]))
            #expect(reply.refusal == "403 AccessDenied")
            #expect(reply.document?["HeadersNotSigned"] == "x-amz-meta-added")
        }
        var old = request
        old.path = "/vault"
        old.headerFields[.authorization] = "AWS AKIA:signature"
        #expect(await wire.send(old, .empty).refusal == "400 InvalidArgument")
        old.headerFields[.authorization] = "AWS4-HMAC-SHA256 Credential=a"
        #expect(await wire.send(old, .empty).refusal == "400 AuthorizationHeaderMalformed")
    }

    @Test func `nobody in particular reads objects of public buckets, and nothing else`() async {
        let wire = Wire()
        await wire.put("public", at: "a")
        await wire.put("private", at: "a", bucket: "vault")
        #expect(await wire.send(.get, "/media/a", signing: .nothing).text == "public")
        #expect(await wire.send(.head, "/media/a", signing: .nothing).status == 200)
        for (method, path) in [
            (.get, "/vault/a"), (.get, "/media"), (.get, "/"), (.put, "/media/b"), (.delete, "/media/a"),
            // Whether it is there is nobody's business.
            (.get, "/media/none"), (.post, "/media/b?uploads"), (.get, "/media/a?uploadId=x"),
        ] as [(HTTPRequest.Method, String)] {
            #expect(await wire.send(method, path, signing: .nothing).refusal == "403 AccessDenied", "\(path)")
        }
        #expect(await wire.send(.get, "/media/a?response-content-type=a/b", signing: .nothing).status == 400)
        #expect(wire.server.objects(in: "media").map(\.key) == ["a"])
    }
}
