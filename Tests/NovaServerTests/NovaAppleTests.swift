import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: signing in with Apple", .simulated(seeds: 1...3, stalls: .none))
struct NovaAppleTests {
    private static let subject = "001234.5ca1ab1e.0001"
    private let nova: NovaServer

    init() {
        var project = NovaProject.seeded(users: 2, posts: 0)
        project.rates = .none
        nova = NovaServer(project)
    }

    private func signIn(
        _ token: String,
        user: String = NovaAppleTests.subject,
        more: [String: JSONValue] = [:]
    ) async throws -> NovaClient.Answer {
        let fields: [String: JSONValue] = ["identity_token": .string(token), "user": .string(user)]
        return try await NovaClient(nova).post("/auth/apple", .object(fields.merging(more) { $1 }))
    }

    @Test("the first sign-in makes an account with the name, and later ones find it without")
    func first() async throws {
        let more: [String: JSONValue] = ["full_name": "Ada Lovelace", "email": "other@nova.example"]
        let first = try await signIn(nova.apple.identityToken(), more: more)
        #expect(first.status == 200 && first["user"]?["display_name"] == "Ada Lovelace")
        let second = try await signIn(nova.apple.identityToken())
        #expect(second["user"]?["id"] == first["user"]?["id"])
        #expect(second["user"]?["display_name"] == "Ada Lovelace")
        let account = try #require(nova.account(appleSubject: Self.subject))
        // What Apple says of the address counts, not what the app says.
        #expect(nova.account(email: "ada.private@icloud.example") == account)
        #expect(nova.account(email: "other@nova.example") == nil)
        let other = try await signIn(nova.apple.identityToken(["sub": "x"]), user: "x")
        #expect(other["user"]?["id"] != first["user"]?["id"] && other.status == 200)
    }

    @Test("a nonce that the app has drawn is compared by its digest")
    func nonce() async throws {
        // SHA-256 of "raw", in hexadecimal.
        let digest: JSONValue = "d7439bee24773bcbfa2d0a97947ee36227b10d1022b1a55847e928965bb6bfde"
        let right = try await signIn(nova.apple.identityToken(["nonce": digest]), more: ["nonce": "raw"])
        #expect(right.status == 200)
        for (claim, sent) in [(digest, "row" as JSONValue), ("raw", "raw"), (.null, "raw"), (digest, .null)] {
            let answer = try await signIn(nova.apple.identityToken(["nonce": claim]), more: ["nonce": sent])
            #expect(answer.status == 401 && answer.error == "invalid_identity_token")
        }
    }

    @Test(
        "tokens that are not for this app, not from Apple, not of this time or of somebody else are refused"
    )
    func claims() async throws {
        let now = Int(Date().timeIntervalSince1970)
        let wrong: [[String: JSONValue]] = [
            ["iss": "https://apple.example"], ["iss": .null], ["aud": "dev.other.app"], ["aud": .null],
            ["aud": ["dev.lenssim.nova"]], ["exp": .integer(now)], ["exp": .null], ["exp": "tomorrow"],
            ["sub": "y"],
            ["sub": .null],
        ]
        for claims in wrong {
            let answer = try await signIn(nova.apple.identityToken(claims))
            #expect(answer.status == 401 && answer.error == "invalid_identity_token", "\(claims)")
        }
        #expect(nova.account(appleSubject: Self.subject) == nil)
        #expect(nova.account(appleSubject: "y") == nil)
        #expect(try await signIn(nova.apple.identityToken()).status == 200)
    }

    @Test("headers and signatures that are not Apple's are refused")
    func headers() async throws {
        let token = nova.apple.identityToken()
        let parts = token.split(separator: ".").map { String($0) }
        let stranger = AppleIssuer(keys: [.simulated(0), .simulated(0)])
        let own = nova.makeTokens(for: nova.project.users[0].id).access
        let wrong = [
            nova.apple.identityToken(header: ["alg": "none"]),
            nova.apple.identityToken(header: ["alg": "HS256"]),
            nova.apple.identityToken(header: ["kid": "nova-1"]), nova.apple.identityToken(header: ["kid": 1]),
            nova.apple.identityToken(header: ["crit": ["x"]]), stranger.identityToken(), own,
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).\(parts[2]).x",
            "x", "..",
        ]
        for text in wrong {
            let answer = try await signIn(text)
            #expect(answer.status == 401 && answer.error == "invalid_identity_token", "\(text)")
        }
    }

    @Test("keys are kept for an hour, and fetched again for an unknown one, once a minute at most")
    func rotation() async throws {
        let apple = nova.apple
        #expect(try await signIn(apple.identityToken()).status == 200 && apple.requestCount == 1)
        #expect(try await signIn(apple.identityToken()).status == 200 && apple.requestCount == 1)
        // The next key is published already.
        apple.rotateKeys()
        #expect(try await signIn(apple.identityToken()).status == 200 && apple.requestCount == 1)
        apple.rotateKeys()
        #expect(try await signIn(apple.identityToken()).status == 401 && apple.requestCount == 1)
        try await Task.sleep(for: .seconds(60))
        #expect(try await signIn(apple.identityToken()).status == 200 && apple.requestCount == 2)
        try await Task.sleep(for: .seconds(3600))
        #expect(try await signIn(apple.identityToken()).status == 200 && apple.requestCount == 3)
    }

    @Test("where Apple cannot be asked, the sign-in fails for now")
    func unavailable() async throws {
        try nova.apple.faults.arm("http.503", atMost: 1)
        let answer = try await signIn(nova.apple.identityToken())
        #expect(answer.status == 503 && answer.error == "internal_error" && answer["request_id"] != nil)
        #expect(try await signIn(nova.apple.identityToken()).status == 200)
    }

    @Test("the issuer publishes two keys, and gives tokens with the claims that a test wants")
    func issuer() async throws {
        func call(_ method: HTTPRequest.Method, _ path: String, _ text: String = "") async throws -> (
            Int, JSONValue
        ) {
            let request = HTTPRequest(method: method, scheme: "http", authority: "apple", path: path)
            let answer = await nova.apple.respond(to: request, body: .text(text))
            let bytes = try await answer.body.collect(upTo: 1 << 16)
            return (answer.head.status.code, (try? JSONValue(json: bytes)) ?? .null)
        }
        let keys = try await call(.get, "/auth/keys").1["keys"]?.array ?? []
        #expect(keys.count == 2)
        for key in keys {
            #expect(key["kty"] == "RSA" && key["use"] == "sig" && key["alg"] == "RS256" && key["e"] == "AQAB")
            #expect(key["n"]?.string.flatMap { Base64.decoded(url: $0) }?.count == 256)
        }
        try nova.apple.faults.arm("apple.rotated", atMost: 1)
        let (status, body) = try await call(.post, "/simulator/token", #"{"sub": "z", "email": null}"#)
        let answer = try await signIn(body["identity_token"]?.string ?? "", user: "z")
        #expect(status == 200 && answer.status == 200)
        let header = try #require(body["identity_token"]?.string?.split(separator: ".").first)
        let decoded = try JSONValue(json: #require(Base64.decoded(url: header)))
        #expect(decoded["kid"] == "apple-2")
        #expect(try await call(.post, "/simulator/token", "[]").0 == 400)
        #expect(try await call(.post, "/auth/keys").0 == 405)
        #expect(try await call(.get, "/nothing").0 == 404)
    }
}
