import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: signing in", .simulated(seeds: 1...3, stalls: .none))
struct NovaSignInTests {
    private let nova = NovaServer(.seeded(users: 3, posts: 2))

    private func client(_ access: String?) -> NovaClient {
        var client = NovaClient(nova)
        client.authorization = "Bearer \(access ?? "")"
        return client
    }

    @Test("e-mail and password open a session, whatever the letter case of the address")
    func signIn() async throws {
        let answer = try await NovaClient(nova).signIn("ADA@nova.example", "nova-password-1")
        #expect(answer.status == 200 && answer["token_type"] == "Bearer" && answer["expires_in"] == 900)
        #expect(answer["user"]?["username"] == "ada" && answer["user"]?["email"] == nil)
        #expect(try await client(answer["access_token"]?.string).get("/feed").status == 200)
        #expect(nova.log.contains(.signedIn(userID: nova.project.users[0].id)))
    }

    @Test("an unknown account and a wrong password get the same answer")
    func wrong() async throws {
        let app = NovaClient(nova)
        let unknown = try await app.signIn("nobody@nova.example", "nova-password-1")
        let wrong = try await app.signIn("ada@nova.example", "nova-password-2")
        #expect(unknown.status == 401 && unknown.error == "unauthorized" && unknown.bytes == wrong.bytes)
        #expect(try await app.signIn("ada@nova.example", "").fields == ["password"])
    }

    @Test("the sixth sign-in in a minute waits, with hints in body and header")
    func rate() async throws {
        let app = NovaClient(nova)
        for _ in 0..<5 { #expect(try await app.signIn("ada@nova.example", "wrong").status == 401) }
        try await Task.sleep(for: .seconds(20.5))
        let sixth = try await app.signIn("ada@nova.example", "nova-password-1")
        #expect(sixth.status == 429 && sixth.error == "rate_limit_exceeded")
        #expect(sixth["retry_after"] == 40 && sixth.head[.retryAfter] == "40")
        #expect(try await app.signIn("grace@nova.example", "nova-password-2").status == 200)
        try await Task.sleep(for: .seconds(40))
        #expect(try await app.signIn("ada@nova.example", "nova-password-1").status == 200)
    }

    @Test("a new account is there at once, and its names are taken")
    func signUp() async throws {
        let app = NovaClient(nova)
        let body: JSONValue = [
            "username": "zoë", "email": "zoe", "password": "short",
        ]
        let refused = try await app.post("/auth/signup", body)
        #expect(refused.status == 400 && refused.fields == ["username", "email", "password"])
        let good: JSONValue = ["username": "Zoe", "email": "Zoe@Nova.example", "password": "long enough"]
        let answer = try await app.post("/auth/signup", good)
        #expect(answer.status == 201 && answer["user"]?["display_name"] == "Zoe")
        #expect(try await client(answer["access_token"]?.string).get("/feed").status == 200)
        #expect(try await app.signIn("zoe@nova.example", "long enough").status == 200)
        let again = try await app.post("/auth/signup", good)
        #expect(again.status == 409 && again.error == "conflict")
        let other: JSONValue = ["username": "zoe", "email": "z@nova.example", "password": "long enough"]
        #expect(try await app.post("/auth/signup", other).status == 409)
    }

    @Test("a token that was taken is refused with another letter, also with one that is equal to Unicode")
    func changedToken() async throws {
        var tokens: [String] = []
        while !tokens.contains(where: { $0.contains("K") }) {
            let token = nova.makeTokens(for: nova.project.users[0].id).access
            #expect(try await client(token).get("/feed").status == 200)
            tokens.append(token)
        }
        for token in tokens {
            let letters = Array(token)
            for place in [0, letters.count / 2, letters.count - 20] {
                var other = letters
                other[place] = other[place] == "A" ? "B" : "A"
                #expect(try await client(String(other)).get("/feed").status == 401)
            }
            // The sign of the kelvin is equal to the letter K for a String, and not for a token.
            let kelvin = token.replacing("K", with: "\u{212A}")
            guard kelvin.utf8.count != token.utf8.count else { continue }
            #expect(try await client(kelvin).get("/feed").status == 401)
        }
    }

    @Test("an access token ends in the second of its expiry, without leeway")
    func expiry() async throws {
        // Whole seconds, so that the second of expiry begins now.
        let fraction = Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 1)
        try await Task.sleep(for: .seconds(1 - fraction))
        let app = client(nova.makeTokens(for: nova.project.users[0].id).access)
        try await Task.sleep(for: .seconds(899))
        #expect(try await app.get("/feed").status == 200)
        try await Task.sleep(for: .seconds(1))
        let late = try await app.get("/feed")
        #expect(late.status == 401 && late.error == "unauthorized" && late.head[.wwwAuthenticate] == "Bearer")
    }

    @Test(
        "what is no access token opens nothing",
        arguments: [
            "", "Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", "Basic YTpi", "Token x", "Bearer  x",
        ]
    )
    func noToken(_ field: String) async throws {
        var app = NovaClient(nova)
        app.authorization = field
        let user = nova.project.users[0].id
        let post = nova.posts[0].id
        for (method, path) in [
            (HTTPRequest.Method.get, "/feed"), (.get, "/posts/\(post)"), (.post, "/posts"),
            (.delete, "/posts/\(post)"),
            (.post, "/posts/\(post)/like"), (.delete, "/posts/\(post)/like"),
            (.get, "/posts/\(post)/comments"),
            (.post, "/posts/\(post)/comments"), (.post, "/upload/presign"), (.get, "/search/users?q=a"),
            (.get, "/users/\(user)"), (.patch, "/users/\(user)"), (.delete, "/users/\(user)"),
            (.get, "/notifications"), (.post, "/auth/signout"),
        ] {
            let answer = try await app.send(method, path)
            #expect(answer.status == 401 && answer.error == "unauthorized", "\(method) \(path)")
        }
    }

    @Test("a token that was changed, or names another algorithm, opens nothing")
    func forged() async throws {
        let (token, refresh) = nova.makeTokens(for: nova.project.users[0].id)
        let parts = token.split(separator: ".").map { String($0) }
        func part(_ json: JSONValue) -> String { Base64.urlEncoded(json.json) }
        let claims = try JSONValue(json: #require(Base64.decoded(url: parts[1])))
        var other = try #require(claims.object)
        other["sub"] = .string(nova.project.users[1].id)
        // HS256 with what everybody can read (RFC 8725 section 2.1).
        let published = try await NovaClient(nova).get("/.well-known/jwks.json")
        let secret = WebToken(secret: String(decoding: published.bytes, as: UTF8.self))
        let forged = [
            "\(part(["alg": "none"])).\(parts[1]).", "\(part(["alg": "none"])).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(part(.object(other))).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast(4))AAAA",
            secret.sign(claims.object ?? [:]), "\(token).", ".\(token)", token + "=", refresh,
            AppleIssuer().identityToken(claims.object ?? [:]),
        ]
        #expect(try await client(token).get("/feed").status == 200)
        for text in forged { #expect(try await client(text).get("/feed").status == 401, "\(text)") }
    }

    @Test("a refresh token is good for one exchange, and its reuse ends the whole sign-in")
    func rotation() async throws {
        let app = NovaClient(nova)
        let user = nova.project.users[0].id
        let first = nova.makeTokens(for: user)
        let elsewhere = nova.makeTokens(for: user)
        let second = try await app.refresh(first.refresh)
        #expect(
            second.status == 200
                && Set(second.json.object?.keys.map { $0 } ?? []).isSuperset(of: [
                    "access_token", "refresh_token",
                ])
        )
        let (access, next) = (
            try #require(second["access_token"]?.string), try #require(second["refresh_token"]?.string)
        )
        #expect(access != first.access && next != first.refresh)
        #expect(try await client(access).get("/feed").status == 200)
        #expect(try await client(first.access).get("/feed").status == 200)
        let reuse = try await app.refresh(first.refresh)
        #expect(reuse.status == 401 && reuse.error == "unauthorized")
        #expect(nova.log.contains(.reuseRefused(userID: user)))
        #expect(try await app.refresh(next).status == 401)
        for token in [access, first.access] { #expect(try await client(token).get("/feed").status == 401) }
        #expect(try await client(elsewhere.access).get("/feed").status == 200)
        #expect(try await app.refresh(elsewhere.refresh).status == 200)
    }

    @Test("an access token does not refresh, and what was never given neither")
    func foreign() async throws {
        let app = NovaClient(nova)
        let tokens = nova.makeTokens(for: nova.project.users[0].id)
        for text in [tokens.access, "x", String(repeating: "a", count: 4096)] {
            #expect(try await app.refresh(text).status == 401)
        }
        #expect(try await app.refresh("").fields == ["refresh_token"])
        #expect(try await app.post("/auth/refresh", [:]).fields == ["refresh_token"])
        #expect(try await app.refresh(tokens.refresh).status == 200)
    }

    @Test("within the grace the last token gives the same pair again; an older one ends the sign-in")
    func grace() async throws {
        var project = NovaProject.seeded(users: 1, posts: 0)
        project.grace = 10
        let nova = NovaServer(project)
        let app = NovaClient(nova)
        let first = nova.makeTokens(for: project.users[0].id).refresh
        let second = try await app.refresh(first)
        try await Task.sleep(for: .seconds(9.9))
        #expect(try await app.refresh(first).bytes == second.bytes)
        #expect(nova.log.contains(.graceGiven(userID: project.users[0].id)))
        let next = try #require(second["refresh_token"]?.string)
        #expect(try await app.refresh(next).status == 200)
        // It is two exchanges old now.
        #expect(try await app.refresh(first).status == 401)
        #expect(try await app.refresh(next).status == 401)
    }

    @Test("after the grace the last token ends the sign-in")
    func graceEnds() async throws {
        var project = NovaProject.seeded(users: 1, posts: 0)
        project.grace = 10
        let app = NovaClient(NovaServer(project))
        let first = app.nova.makeTokens(for: project.users[0].id).refresh
        let second = try await app.refresh(first)
        try await Task.sleep(for: .seconds(10))
        #expect(try await app.refresh(first).status == 401)
        #expect(try await app.refresh(second["refresh_token"]?.string ?? "").status == 401)
    }

    @Test("refresh tokens end after their lifetime")
    func refreshExpiry() async throws {
        var project = NovaProject.seeded(users: 1, posts: 0)
        project.refreshLifetime = 3600
        let app = NovaClient(NovaServer(project))
        let token = app.nova.makeTokens(for: project.users[0].id).refresh
        try await Task.sleep(for: .seconds(3599))
        let next = try await app.refresh(token)["refresh_token"]?.string
        try await Task.sleep(for: .seconds(3600))
        #expect(try await app.refresh(next ?? "").status == 401)
    }

    @Test("signing out ends one sign-in, and leaves the others")
    func signOut() async throws {
        let user = nova.project.users[0].id
        let (here, there) = (nova.makeTokens(for: user), nova.makeTokens(for: user))
        let answer = try await client(here.access).post("/auth/signout", [:])
        #expect(answer.status == 204 && answer.bytes.isEmpty)
        #expect(try await client(here.access).get("/feed").status == 401)
        #expect(try await NovaClient(nova).refresh(here.refresh).status == 401)
        #expect(try await client(there.access).get("/feed").status == 200)
        #expect(try await client(there.access).post("/auth/signout").status == 204)
    }

    @Test("access tokens that are revoked are refused, and refreshing gives new ones")
    func revoked() async throws {
        let tokens = nova.makeTokens(for: nova.project.users[0].id)
        nova.revokeAccessTokens()
        #expect(try await client(tokens.access).get("/feed").status == 401)
        let next = try await NovaClient(nova).refresh(tokens.refresh)
        #expect(try await client(next["access_token"]?.string).get("/feed").status == 200)
        nova.endSessions(of: nova.project.users[0].id)
        #expect(try await NovaClient(nova).refresh(next["refresh_token"]?.string ?? "").status == 401)
    }
}
