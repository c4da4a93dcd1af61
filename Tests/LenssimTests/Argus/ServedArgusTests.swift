import Foundation
import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

/// The home hub as `lenssim serve argus` has it.
@Suite("Serving the home hub", .timeLimit(.minutes(10)))
struct ServedArgusTests {
    @Test(
        "the one line of JSON has what a phone pairs with and what the admin needs",
        arguments: ["seed", "public"]
    )
    func pairing(_ dialect: String) async throws {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            [
                "serve", "argus", "--json", "--hub-dialect", dialect, "--event-interval", "0.1",
                "--access-lifetime", "60",
            ],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(started.output().utf8))
        #expect(facts["dialect"] == dialect)
        let client = try LiveTransport()
        let authority = try #require(facts["url"]).replacing("http://", with: "")
        func call(_ path: String, _ body: [String: String]?, token: String? = nil) async throws -> (
            status: Int, body: Data
        ) {
            var request = HTTPRequest(
                method: body == nil ? .get : .post,
                scheme: "http",
                authority: authority,
                path: "/api/v1/\(path)"
            )
            if let token { request.headerFields[.authorization] = "Bearer \(token)" }
            let json = try body.map { try JSONEncoder().encode($0) }
            let answer = try await client.send(
                request,
                body: json.map { .bytes([UInt8]($0)) } ?? .empty,
                timeout: .seconds(30)
            )
            return (answer.head.status.code, Data(try await answer.body.collect(upTo: 1 << 20)))
        }
        let code = try #require(facts["pairingCode"])
        let device = UUID().uuidString
        let verified = try await call(
            "mobile/auth/verify",
            ["code": code, "device_id": device, "device_name": "phone"]
        )
        let admin = try #require(facts["adminToken"])
        if dialect == "seed" {
            struct Tokens: Decodable {
                var access_token: String
                var expires_in: Int
            }
            let tokens = try JSONDecoder().decode(Tokens.self, from: verified.body)
            #expect(tokens.expires_in == 60)
            #expect(try await call("mobile/cameras", nil, token: tokens.access_token).status == 200)
            #expect(try await call("mobile/events", nil, token: admin).status == 200)
        } else {
            #expect(verified.status == 401)
            #expect(try await call("events", nil, token: admin).status == 200)
        }
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }
}
