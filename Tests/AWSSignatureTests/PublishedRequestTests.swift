import AWSSignature
import HTTPTypes
import Services
import Testing

/// The examples that AWS publishes with their signatures.
///
/// Sources: API reference of S3, "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk"
/// and "Authenticating Requests: Using Query Parameters"; and the test suite of Signature Version 4, `aws-sig-v4-test-suite`.
@Suite("Signatures that AWS publishes")
struct PublishedRequestTests {
    private let time = SigningTime("20130524T000000Z")
    private let credentials = AWSCredentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    )

    private func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        host: String = "examplebucket.s3.amazonaws.com"
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: fields)
    }

    @Test func `requests of the reference of S3 have the signatures that it shows`() throws {
        var put: HTTPFields = [.date: "Fri, 24 May 2013 00:00:00 GMT"]
        put[try #require(HTTPField.Name("x-amz-storage-class"))] = "REDUCED_REDUNDANCY"
        let examples: [(HTTPRequest, String, String)] = [
            (
                request(.get, "/test.txt", [.range: "bytes=0-9"]), "",
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            (
                request(.put, "/test$file.text", put), "Welcome to Amazon S3.",
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            (
                request(.get, "/?lifecycle"), "",
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
            ),
            (
                request(.get, "/?max-keys=2&prefix=J"), "",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
        ]
        let signer = RequestSigner(credentials, region: "us-east-1")
        for (request, body, signature) in examples {
            var signed = request
            let payload = SignedPayload.of(Array(body.utf8))
            let result = signer.sign(&signed, payload: payload, at: try #require(time))
            #expect(result?.authorization.hasSuffix("Signature=" + signature) == true, "\(request)")
            // The way back: what a service reads of it leads to the same canonical request.
            let claim = try SignatureClaim(authorization: try #require(signed.headerFields[.authorization]))
            #expect(claim.accessKey == "AKIAIOSFODNN7EXAMPLE" && claim.signature == signature)
            let canonical = CanonicalRequest(of: signed, signing: claim.signedHeaders, payload: payload)
            let key = SigningKey(credentials.secretKey, claim.scope)
            let again = key.signature(of: try #require(canonical), at: try #require(time))
            #expect(again.signature == signature)
        }
    }

    @Test func `a presigned address is the one of the reference`() throws {
        let signer = RequestSigner(credentials, region: "us-east-1")
        let path = signer.presign(request(.get, "/test.txt"), lifetime: 86_400, at: try #require(time))
        #expect(
            path == "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    @Test(arguments: [
        ("GET", "/", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (
            "GET", "/?Param2=value2&Param1=value1", "",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        (
            "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        (
            "POST", "/", "Param1=value1",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
    ])
    func `cases of the test suite that hold for S3 too are signed as it says`(
        _ method: String,
        _ path: String,
        _ body: String,
        _ signature: String
    ) throws {
        let credentials = AWSCredentials(
            accessKey: "AKIDEXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        )
        var request = request(
            try #require(HTTPRequest.Method(method)),
            path,
            body.isEmpty ? [:] : [.contentType: "application/x-www-form-urlencoded"],
            host: "example.amazonaws.com"
        )
        let signed = RequestSigner(credentials, region: "us-east-1", service: "service").sign(
            &request,
            payload: .of(Array(body.utf8)),
            at: try #require(SigningTime("20150830T123600Z")),
            declaresPayload: false
        )
        #expect(signed?.authorization.hasSuffix("Signature=" + signature) == true)
    }

    @Test func `nothing that describes credentials shows their secret`() {
        var temporary = credentials
        temporary.sessionToken = Secret("some-session-token")
        let key = SigningKey(credentials.secretKey, SigningScope(date: "20130524", region: "us-east-1"))
        let texts = ["\(temporary)", String(reflecting: temporary), "\(key)", String(reflecting: key)]
        for text in texts {
            #expect(!text.contains("wJalr") && !text.contains("some-session-token"))
        }
    }
}
