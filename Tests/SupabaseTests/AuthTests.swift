import Foundation
import HTTPTypes
import PeerKit
import Simulation
import SupabaseServer
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: sign-in")
struct AuthTests {
    /// A project with one user.
    static func wire(_ change: (inout SupabaseProject) -> Void = { _ in }) throws -> Wire {
        try Wire { project in
            project.signIn.users = [
                .init("Ada@example.com", password: "difference", id: "3f1b0a52-0000-4000-8000-000000000001")
            ]
            change(&project)
        }
    }

    private func claims(_ token: String?) throws -> [String: JSONValue] {
        let parts = try #require(token).split(separator: ".")
        return try #require(Base64.decoded(url: parts[1]).map { try JSONValue(json: $0) }?.object)
    }

    private func document(_ reply: Wire.Reply) throws -> JSONValue { try JSONValue(json: reply.bytes) }

    // MARK: Sign-in

    @Test func `a password opens a session`() async throws {
        let wire = try Self.wire()
        let reply = await wire.signIn("ADA@Example.com")
        #expect(reply.status == 200)
        #expect(reply.header("x-supabase-api-version") == "2024-01-01")
        let session = try document(reply)
        #expect(session["token_type"] == "bearer" && session["expires_in"] == 3600)
        let now = Int(Date().timeIntervalSince1970)
        #expect(abs((session["expires_at"]?.integer ?? 0) - now - 3600) <= 5)
        #expect(session["refresh_token"]?.string?.count == 12)
        let user = try #require(session["user"])
        #expect(user["email"] == "ada@example.com" && user["role"] == "authenticated")
        #expect(user["id"] == "3f1b0a52-0000-4000-8000-000000000001")
        for name in ["aud", "created_at", "app_metadata", "user_metadata", "last_sign_in_at", "identities"] {
            #expect(user[name] != nil, "\(name)")
        }
        let claims = try claims(reply["access_token"])
        #expect(claims["sub"] == user["id"] && claims["aud"] == "authenticated")
        #expect(claims["role"] == "authenticated" && claims["aal"] == "aal1")
        #expect(claims["iss"] == "https://project.example/auth/v1")
        #expect(claims["exp"] == session["expires_at"])
        #expect(claims["amr"]?.array?.first?["method"] == "password")
        #expect(claims["session_id"]?.string != nil && claims["is_anonymous"] == false)
    }

    @Test(arguments: [("ada@example.com", "wrong"), ("bob@example.com", "difference"), ("", "")])
    func `a wrong password and an unknown user look the same`(_ email: String, _ password: String)
        async throws
    {
        let reply = try await Self.wire().signIn(email, password)
        #expect(reply.authRefusal == "400 invalid_credentials: Invalid login credentials")
        #expect(reply.header("x-sb-error-code") == "invalid_credentials")
    }

    @Test func `a client that names no version gets the older form`() async throws {
        let wire = try Self.wire()
        let reply = await wire.auth(
            .post,
            "/token?grant_type=password",
            json: "{\"email\":\"ada@example.com\",\"password\":\"x\"}",
            version: nil
        )
        #expect(
            try document(reply) == [
                "code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials",
            ]
        )
        #expect(reply.header("x-supabase-api-version") == nil)
        #expect(reply.header("x-sb-error-code") == "invalid_credentials")
    }

    @Test func `a user that is not confirmed, or is banned, cannot sign in`() async throws {
        let wire = try Self.wire {
            $0.signIn.users += [
                .init("new@example.com", password: "difference", isConfirmed: false),
                .init("bad@example.com", password: "difference", isBanned: true),
            ]
        }
        #expect(
            await wire.signIn("new@example.com").authRefusal == "400 email_not_confirmed: Email not confirmed"
        )
        #expect(await wire.signIn("new@example.com", "x").authRefusal.contains("invalid_credentials"))
        #expect(await wire.signIn("bad@example.com").authRefusal == "400 user_banned: User is banned")
    }

    @Test func `another grant, another document and another path are refused`() async throws {
        let wire = try Self.wire()
        #expect(
            await wire.auth(.post, "/token?grant_type=magic", json: "{}").authRefusal
                == "400 invalid_credentials: unsupported_grant_type"
        )
        #expect(
            await wire.auth(.post, "/token?grant_type=password", json: "[").authRefusal.hasPrefix(
                "400 bad_json"
            )
        )
        #expect(await wire.auth(.post, "/nothing", json: "{}").status == 404)
        #expect(await wire.auth(.get, "/token").status == 404)
    }

    // MARK: Refresh

    @Test func `a refresh token is taken for the next one`() async throws {
        let wire = try Self.wire()
        let first = await wire.signIn()
        let second = await wire.refresh(first["refresh_token"])
        #expect(second.status == 200)
        #expect(second["refresh_token"] != first["refresh_token"])
        #expect(
            try claims(second["access_token"])["session_id"] == claims(first["access_token"])["session_id"]
        )
        #expect(
            await wire.refresh("unknown").authRefusal
                == "400 refresh_token_not_found: Invalid Refresh Token: Refresh Token Not Found"
        )
    }

    @Test func `a token whose answer was lost is good until its successor is used`() throws {
        try Simulation(seed: 1).run {
            let wire = try Self.wire()
            let first = await wire.signIn()["refresh_token"]
            let second = await wire.refresh(first)["refresh_token"]
            try await Task.sleep(for: .seconds(1000))
            let again = await wire.refresh(first)
            #expect(again.status == 200 && again["refresh_token"] == second)
            #expect(await wire.refresh(second).status == 200)
        }
    }

    @Test func `a copy that is used too late revokes the whole family`() throws {
        try Simulation(seed: 1).run {
            let wire = try Self.wire()
            let other = await wire.signIn()["refresh_token"]
            let first = await wire.signIn()["refresh_token"]
            let second = await wire.refresh(first)["refresh_token"]
            let third = await wire.refresh(second)["refresh_token"]
            // Within the interval it is taken, as for many requests at once.
            try await Task.sleep(for: .seconds(10))
            let fourth = await wire.refresh(first)
            #expect(fourth.status == 200)
            #expect(fourth["refresh_token"] != third)
            try await Task.sleep(for: .seconds(11))
            let used = "400 refresh_token_already_used: Invalid Refresh Token: Already Used"
            #expect(await wire.refresh(second).authRefusal == used)
            for token in [first, second, third, fourth["refresh_token"]] {
                #expect(await wire.refresh(token).authRefusal == used)
            }
            #expect(await wire.refresh(other).status == 200)
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `many refreshes at once keep the session`(_ seed: UInt64) throws {
        try Simulation(seed: seed).run {
            let wire = try Self.wire()
            var token = await wire.signIn()["refresh_token"]
            for _ in 0..<5 {
                let present = token
                let next = await withTaskGroup(of: Wire.Reply.self) { group in
                    for _ in 0..<4 { group.addTask { await wire.refresh(present) } }
                    return await group.reduce(into: [Wire.Reply]()) { $0.append($1) }
                }
                #expect(next.allSatisfy { $0.status == 200 })
                token = next.last?["refresh_token"]
                try await Task.sleep(for: .seconds(Int.random(in: 0...100)))
            }
        }
    }

    @Test func `a session ends after its time`() throws {
        try Simulation(seed: 1).run {
            let wire = try Self.wire { $0.signIn.sessionLifetime = .seconds(100) }
            let first = await wire.signIn()["refresh_token"]
            try await Task.sleep(for: .seconds(100))
            let second = await wire.refresh(first)
            #expect(second.status == 200)
            try await Task.sleep(for: .seconds(1))
            #expect(
                await wire.refresh(second["refresh_token"]).authRefusal
                    == "400 session_expired: Invalid Refresh Token: Session Expired"
            )
        }
    }

    // MARK: The user

    @Test func `a user is shown to its own tokens alone`() throws {
        try Simulation(seed: 1).run {
            let wire = try Self.wire()
            let session = await wire.signIn()
            let user = await wire.auth(.get, "/user", token: session["access_token"])
            #expect(user.status == 200 && user["email"] == "ada@example.com")
            #expect(
                await wire.auth(.get, "/user").authRefusal
                    == "401 no_authorization: This endpoint requires a valid Bearer token"
            )
            let strange = await wire.auth(.get, "/user", token: "x.y.z")
            #expect(strange.status == 403 && strange["code"] == "bad_jwt")
            // The key of the app speaks for nobody.
            let key = await wire.auth(.get, "/user", token: wire.project.anonymousKey)
            #expect(key.authRefusal == "403 bad_jwt: invalid claim: missing sub claim")
            try await Task.sleep(for: .seconds(3600))
            let old = await wire.auth(.get, "/user", token: session["access_token"])
            #expect(
                old.authRefusal
                    == "403 bad_jwt: invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired"
            )
        }
    }

    @Test func `the user changes what is known, and a new password ends other sessions`() async throws {
        let wire = try Self.wire()
        let (mine, other) = (await wire.signIn(), await wire.signIn())
        let token = mine["access_token"]
        let data = await wire.auth(.put, "/user", token: token, json: "{\"data\":{\"name\":\"Ada\",\"x\":1}}")
        #expect(try document(data)["user_metadata"] == ["name": "Ada", "x": 1])
        let less = await wire.auth(.put, "/user", token: token, json: "{\"data\":{\"x\":null}}")
        #expect(try document(less)["user_metadata"] == ["name": "Ada"])
        let same = await wire.auth(.put, "/user", token: token, json: "{\"password\":\"difference\"}")
        #expect(same.status == 422 && same["code"] == "same_password")
        let weak = await wire.auth(.put, "/user", token: token, json: "{\"password\":\"short\"}")
        #expect(weak.status == 422 && weak["code"] == "weak_password")
        #expect(try document(weak)["weak_password"]?["reasons"] == ["length"])
        let new = await wire.auth(
            .put,
            "/user",
            token: token,
            json: "{\"password\":\"engine-1843\",\"email\":\"ada@lovelace.example\"}"
        )
        #expect(new.status == 200)
        #expect(await wire.auth(.get, "/user", token: token).status == 200)
        #expect(
            await wire.auth(.get, "/user", token: other["access_token"]).authRefusal
                == "403 session_not_found: Session from session_id claim in JWT does not exist"
        )
        #expect(await wire.refresh(other["refresh_token"])["code"] == "refresh_token_not_found")
        #expect(await wire.signIn().status == 400)
        #expect(await wire.signIn("ada@lovelace.example", "engine-1843").status == 200)
    }

    @Test(arguments: ["local", "others", "global", ""])
    func `sign-out ends sessions by scope, but the storage takes a token until it expires`(
        _ scope: String
    ) async throws {
        let wire = try Self.wire()
        let (mine, other) = (await wire.signIn(), await wire.signIn())
        let query = scope.isEmpty ? "" : "?scope=\(scope)"
        let reply = await wire.auth(.post, "/logout\(query)", token: mine["access_token"])
        #expect(reply.status == 204 && reply.bytes.isEmpty)
        let (endsMine, endsOther) = (scope != "others", scope != "local")
        for (session, isEnded) in [(mine, endsMine), (other, endsOther)] {
            let user = await wire.auth(.get, "/user", token: session["access_token"])
            #expect(user.status == (isEnded ? 403 : 200))
            #expect((await wire.refresh(session["refresh_token"]).status == 400) == isEnded)
        }
        let stored = await wire.send(
            .post,
            "/object/media/a",
            key: mine["access_token"],
            body: .text("text")
        )
        #expect(stored.status == 200)
        #expect(await wire.auth(.post, "/logout?scope=all", token: other["access_token"]).status >= 400)
    }

    // MARK: Sign-up

    @Test func `who signs up is in at once, where no letter is wanted`() async throws {
        let wire = try Self.wire()
        let json = "{\"email\":\"bob@example.com\",\"password\":\"difference\",\"data\":{\"n\":1}}"
        let reply = await wire.auth(.post, "/signup", json: json)
        #expect(reply.status == 200 && reply["access_token"] != nil)
        #expect(try document(reply)["user"]?["user_metadata"] == ["n": 1])
        #expect(await wire.signIn("bob@example.com").status == 200)
        #expect(
            await wire.auth(.post, "/signup", json: json).authRefusal
                == "422 user_already_exists: User already registered"
        )
        let weak = await wire.auth(.post, "/signup", json: "{\"email\":\"c@example.com\",\"password\":\"x\"}")
        #expect(weak.status == 422 && weak["code"] == "weak_password")
        for email in ["", "c", "c@", "@d", "a b@c.de"] {
            let bad = await wire.auth(
                .post,
                "/signup",
                json: "{\"email\":\"\(email)\",\"password\":\"difference\"}"
            )
            #expect(bad.status == 400 && bad["code"] == "validation_failed")
        }
    }

    @Test func `where a letter is wanted, sign-up gives a user and no session`() async throws {
        let wire = try Self.wire { $0.signIn.confirmsAtOnce = false }
        let json = "{\"email\":\"bob@example.com\",\"password\":\"difference\"}"
        let reply = await wire.auth(.post, "/signup", json: json)
        #expect(reply.status == 200 && reply["access_token"] == nil && reply["email"] == "bob@example.com")
        #expect(await wire.auth(.post, "/signup", json: json).status == 200)
        #expect(await wire.signIn("bob@example.com")["code"] == "email_not_confirmed")
        let closed = try Self.wire { $0.signIn.allowsSignUp = false }
        #expect(await closed.auth(.post, "/signup", json: json)["code"] == "signup_disabled")
    }

    @Test func `users are added with the service's key alone`() async throws {
        let wire = try Self.wire()
        let json = "{\"email\":\"bob@example.com\",\"password\":\"difference\",\"email_confirm\":true}"
        #expect(
            await wire.auth(.post, "/admin/users", token: wire.project.anonymousKey, json: json).authRefusal
                == "403 not_admin: User not allowed"
        )
        let added = await wire.auth(.post, "/admin/users", token: wire.project.serviceKey, json: json)
        #expect(added.status == 200 && added["email"] == "bob@example.com")
        #expect(await wire.signIn("bob@example.com").status == 200)
    }

    @Test func `the service tells its state, its settings and its public keys`() async throws {
        let wire = try Self.wire { $0.signIn.allowsSignUp = false }
        #expect(await wire.auth(.get, "/health")["name"] == "GoTrue")
        let settings = try document(await wire.auth(.get, "/settings"))
        #expect(settings["disable_signup"] == true && settings["mailer_autoconfirm"] == true)
        #expect(settings["external"]?["email"] == true)
        #expect(try document(await wire.auth(.get, "/.well-known/jwks.json")) == ["keys": []])
    }

    @Test func `thousands of random requests get an answer in the service's own form`() async throws {
        var random = SeededGenerator(seed: 9)
        let wire = try Self.wire()
        let token = await wire.signIn()["access_token"]
        let paths = [
            "/token", "/token?grant_type=password", "/token?grant_type=refresh_token", "/user", "/logout",
            "/logout?scope=others", "/signup", "/admin/users", "/health", "/", "/settings?%ff",
        ]
        let bodies = [
            nil, "", "{}", "[]", "{", "null", "{\"email\":7,\"password\":[]}", "{\"refresh_token\":null}",
            "{\"email\":\"ada@example.com\",\"password\":\"\"}", "{\"data\":[1]}",
            "{\"email\":\"\\u0000@x\",\"password\":\"difference\"}",
            "{\"password\":\"" + String(repeating: "x", count: 100) + "\"}",
            String(repeating: "[", count: 10_000),
        ]
        let tokens: [String?] = [nil, "", "x", token, wire.project.anonymousKey, wire.project.serviceKey]
        for _ in 0..<2000 {
            let reply = await wire.auth(
                [.get, .post, .put, .delete][Int.random(in: 0..<4, using: &random)],
                paths.randomElement(using: &random) ?? "",
                token: tokens.randomElement(using: &random) ?? nil,
                json: bodies.randomElement(using: &random) ?? nil
            )
            #expect(reply.status < 500, "\(reply.text)")
            if reply.status >= 400, reply.status != 404 {
                #expect(reply["code"] != nil && reply["message"] != nil)
            }
        }
    }

    // MARK: The storage, and what is kept

    @Test func `the storage knows the signed-in user`() async throws {
        let wire = try Self.wire()
        let token = await wire.signIn()["access_token"]
        let stored = await wire.send(.post, "/object/media/a", key: token, body: .text("text"))
        #expect(stored.status == 200)
        let vault = await wire.send(.post, "/object/vault/a", key: token, body: .text("text"))
        #expect(vault.refusal == ["400", "403", "Unauthorized"])
        let removed = await wire.send(.delete, "/object/media", json: "{\"prefixes\":[\"a\"]}")
        #expect(removed.rows.first?["owner"] as? String == "3f1b0a52-0000-4000-8000-000000000001")
    }

    @Test func `a server that starts on the folder of another knows its users and sessions, and no password`()
        async throws
    {
        let folder = try TemporaryFolder()
        let first = try Self.wire { $0.folder = folder.path }
        let session = await first.signIn()
        await first.auth(
            .post,
            "/signup",
            json: "{\"email\":\"bob@example.com\",\"password\":\"analytical\"}"
        )
        let second = try Self.wire { $0.folder = folder.path }
        #expect(await second.auth(.get, "/user", token: session["access_token"]).status == 200)
        #expect(await second.refresh(session["refresh_token"]).status == 200)
        #expect(await second.signIn("bob@example.com", "analytical").status == 200)
        let kept = try String(contentsOfFile: folder.path + "/auth.json", encoding: .utf8)
        #expect(!kept.contains("difference") && !kept.contains("analytical"))
        #expect("\(first.project.signIn)".contains("difference") == false)
    }
}
