import Foundation
import HTTPTypes
import PlainXML
import S3Server
import Testing

@Suite("Simulated S3: rules for pages of other origins")
struct CrossOriginTests {
    private static let rules = """
        <CORSConfiguration><CORSRule><ID>app</ID><AllowedOrigin>https://*.example.org</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>\
        <AllowedMethod>GET</AllowedMethod><AllowedHeader>content-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>\
        <MaxAgeSeconds>60</MaxAgeSeconds></CORSRule><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>\
        </CORSRule></CORSConfiguration>
        """

    private func preflight(_ wire: Wire, _ origin: String, _ method: String, _ header: String) async
        -> Wire.Reply
    {
        let headers = [
            "origin": origin, "access-control-request-method": method,
            "access-control-request-headers": header,
        ]
        return await wire.send(.options, "/vault/a", headers: headers, signing: .nothing)
    }

    @Test func `rules that a client sets hold from then on, until it removes them`() async {
        let wire = Wire()
        #expect(await wire.send(.get, "/vault?cors").refusal == "404 NoSuchCORSConfiguration")
        #expect(await wire.send(.put, "/vault?cors", body: Array(Self.rules.utf8)).status == 200)
        let read = await wire.send(.get, "/vault?cors").document
        #expect(read?.all("CORSRule").map { $0["ID"] } == ["app", nil])
        #expect(read?.all("CORSRule").first?.all("AllowedMethod").map(\.text) == ["PUT", "GET"])
        #expect(read?.all("CORSRule").first?["MaxAgeSeconds"] == "60")
        let allowed = await preflight(wire, "https://app.example.org", "PUT", "content-type")
        #expect(allowed.status == 200 && allowed.header("access-control-max-age") == "60")
        #expect(await preflight(wire, "https://app.example.org", "PUT", "x-amz-acl").status == 403)
        #expect(await preflight(wire, "https://other.example", "PUT", "content-type").status == 403)
        let page = await wire.send(.get, "/vault/a", headers: ["origin": "https://other.example"])
        #expect(page.header("access-control-allow-origin") == "*")
        #expect(await wire.send(.delete, "/vault?cors").status == 204)
        #expect(await preflight(wire, "https://app.example.org", "PUT", "content-type").status == 403)
        #expect(await wire.send(.get, "/vault?cors").status == 404)
    }

    @Test(
        arguments: [
            ("", "400 MalformedXML"), ("<CORSConfiguration/>", "400 MalformedXML"),
            ("<CORSConfiguration><CORSRule/></CORSConfiguration>", "400 MalformedXML"),
            ("<CORSConfiguration><Rule/></CORSConfiguration>", "400 MalformedXML"),
            (rules.replacing("GET", with: "PATCH"), "400 InvalidRequest"),
            (rules.replacing("https://*.", with: "*://*."), "400 InvalidRequest"),
            (rules.replacing("content-*", with: "*-*"), "400 InvalidRequest"),
            (rules.replacing("60", with: "-1"), "400 MalformedXML"),
            (rules.replacing("60", with: "long"), "400 MalformedXML"),
        ]
    )
    func `rules that make no sense are refused, and those of before stay`(text: String, refusal: String) async
    {
        let wire = Wire()
        let before = await wire.send(.get, "/media?cors").text
        #expect(before.contains("https://*.example.org"))
        #expect(await wire.send(.put, "/media?cors", body: Array(text.utf8)).refusal == refusal)
        #expect(await wire.send(.get, "/media?cors").text == before)
        #expect(await wire.send(.put, "/absent?cors", body: Array(text.utf8)).refusal == "404 NoSuchBucket")
        #expect(await wire.send(.get, "/media?cors", signing: .nothing).status == 403)
    }

    @Test func `rules outlive the server with the bucket`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try Wire(folder: folder)
        #expect(await first.send(.put, "/vault?cors", body: Array(Self.rules.utf8)).status == 200)
        #expect(await first.send(.delete, "/media?cors").status == 204)
        let second = try Wire(folder: folder)
        #expect(await second.send(.get, "/vault?cors").text == (await first.send(.get, "/vault?cors").text))
        // A bucket of the account that is there already stays as clients have left it.
        #expect(await second.send(.get, "/media?cors").status == 404)
    }
}
