import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import Simulation
import SimulationTesting
import Testing

@Suite("The simulated hub: tokens", .simulated(seeds: 1...5))
struct HubTokenTests {
    private let hub = ArgusHub()

    private static let calls: [(HTTPRequest.Method, String)] = [
        (.get, "/api/v1/mobile/events"), (.get, "/api/v1/mobile/events/a"),
        (.get, "/api/v1/mobile/events/a/thumbnail"), (.get, "/api/v1/mobile/cameras"),
        (.post, "/api/v1/mobile/push/register"), (.delete, "/api/v1/mobile/push/unregister"),
        (.post, "/api/v1/mobile/auth/revoke"), (.post, "/api/v1/mobile/auth/confirm"),
        (.post, "/api/v1/events"), (.delete, "/api/v1/events/a"), (.get, "/api/v1/health"),
        (.get, "/nowhere"),
    ]

    /// A client with such a field.
    private func client(_ authorization: String?, _ hub: ArgusHub? = nil) -> HubClient {
        var client = HubClient(hub ?? self.hub)
        client.authorization = authorization
        return client
    }

    @Test(
        "every call but those before pairing wants a token, paths that are not there too, and says why it refuses"
    )
    func refused() async throws {
        let (access, refresh) = hub.makeTokens(for: "phone")
        let signer = WebToken(secret: "argus-signing-secret")
        let claims: [String: JSONValue] = ["sub": "phone", "exp": 4_000_000_000, "jti": "9"]
        let parts = access.split(separator: ".")
        let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().prefix { $0 != "=" }
        let refusals: [(String?, String)] = [
            (nil, "Not authenticated"), ("", "Not authenticated"), ("Bearer", "Not authenticated"),
            ("Bearer ", "Not authenticated"), ("bearer \(access)", "Not authenticated"),
            ("Bearer  \(access)", "Not authenticated"), ("Basic \(access)", "Not authenticated"),
            ("Bearer \(refresh)", "Invalid token"), ("Bearer \(access)x", "Invalid token"),
            ("Bearer \(none).\(parts[1]).", "Invalid token"),
            ("Bearer \(WebToken(secret: "other").sign(claims))", "Invalid token"),
            ("Bearer \(signer.sign(["sub": "phone", "jti": "9"]))", "Invalid token"),
            ("Bearer \(signer.sign(claims.merging(["exp": 1]) { $1 }))", "Token has expired"),
        ]
        for (method, path) in Self.calls {
            for (field, detail) in refusals {
                let answer = try await client(field).send(method, path)
                #expect(answer.status == 401 && answer.detail == detail, "\(path) \(field ?? "none")")
                let challenge = answer.head[.wwwAuthenticate]
                #expect(challenge == (detail == "Not authenticated" ? "Bearer" : nil))
            }
            #expect(try await client("Bearer \(access)").send(method, path).status != 401, "\(path)")
        }
        #expect(try await client("Bearer \(access)").send(.get, "/nowhere").status == 404)
    }

    @Test("what a person at the hub does is refused to phones, and what is a phone's to the admin")
    func roles() async throws {
        let (phone, admin) = (HubClient(paired: hub), HubClient(admin: hub))
        for path in ["/api/v1/mobile/auth/confirm", "/api/v1/events"] {
            #expect(try await phone.send(.post, path, json: [:]).status == 403)
        }
        #expect(try await phone.send(.delete, "/api/v1/events/a").status == 403)
        for path in ["auth/revoke", "push/register"] {
            #expect(try await admin.post(path, [:]).status == 403)
        }
        #expect(try await admin.get("events").status == 200)
    }

    @Test("an access token ends by the hub's own clock, and outlives what it came with")
    func hubClock() async throws {
        let hub = ArgusHub(ArgusProject(tokenLifetime: 600))
        let node = try #require(Simulation.current).node("hub")
        let phone = try await node.run { HubClient(paired: hub) }
        func status() async throws -> Int { try await node.run { try await phone.get("cameras").status } }
        #expect(try await status() == 200)
        hub.revokeFamily(of: HubClient.device)
        #expect(try await status() == 200)
        node.clock.step(by: .seconds(601))
        #expect(try await status() == 401)
        node.clock.step(by: .seconds(-601))
        try await Task.sleep(for: .seconds(598))
        #expect(try await status() == 200)
        try await Task.sleep(for: .seconds(3))
        #expect(try await status() == 401)
    }

    @Test("all access tokens can be revoked, and later ones are taken")
    func revokedAccess() async throws {
        let before = HubClient(paired: hub)
        hub.revokeAccessTokens()
        let answer = try await before.get("cameras")
        #expect(answer.status == 401 && answer.detail == "Invalid token")
        #expect(try await HubClient(paired: hub).get("cameras").status == 200)
    }

    @Test("a refresh gives new tokens of the same device, which differ from those before")
    func rotation() async throws {
        let (access, refresh) = hub.makeTokens(for: "phone")
        let answer = try await client(nil).refresh(refresh)
        #expect(answer.status == 200 && answer["expires_in"] == 3600 && answer["token_type"] == "Bearer")
        let next = try #require(answer["refresh_token"]?.string)
        let token = try #require(answer["access_token"]?.string)
        #expect(next != refresh && token != access)
        #expect(try await client("Bearer \(token)").get("cameras").status == 200)
        #expect(try await client(nil).refresh(next).status == 200)
        #expect(hub.log.filter { $0 == .refreshed(device: "phone") }.count == 2)
    }

    @Test("unknown refresh tokens and access tokens are refused, and missing ones have a list")
    func unknown() async throws {
        let (access, _) = hub.makeTokens(for: "phone")
        for token in ["", access, String(repeating: "0", count: 128)] {
            let answer = try await client(nil).refresh(token)
            #expect(answer.status == (token.isEmpty ? 422 : 401))
        }
        #expect(try await client(nil).post("auth/refresh", [:]).status == 422)
    }

    @Test("a refresh token can be used for 30 days, or as long as the project says")
    func refreshLifetime() async throws {
        for (hub, days) in [(hub, 30), (ArgusHub(ArgusProject(refreshLifetime: 86_400)), 1)] {
            let (first, second) = (hub.makeTokens(for: "a").refresh, hub.makeTokens(for: "b").refresh)
            try await Task.sleep(for: .seconds(days * 86_400 - 1))
            #expect(try await client(nil, hub).refresh(first).status == 200)
            try await Task.sleep(for: .seconds(1))
            #expect(try await client(nil, hub).refresh(second).status == 401)
        }
    }

    @Test("without a grace a used token is refused at once, and its family lives on")
    func noGrace() async throws {
        let refresh = hub.makeTokens(for: "phone").refresh
        let next = try #require(try await client(nil).refresh(refresh)["refresh_token"]?.string)
        #expect(try await client(nil).refresh(refresh).status == 401)
        #expect(hub.log.contains(.reuseRefused(device: "phone", revokesFamily: false)))
        #expect(try await client(nil).refresh(next).status == 200)
    }

    @Test("a grace that echoes gives the old token back for 30 seconds, and it is of no use after them")
    func echo() async throws {
        let hub = ArgusHub(ArgusProject(grace: .echoesOld))
        let refresh = hub.makeTokens(for: "phone").refresh
        let next = try #require(try await client(nil, hub).refresh(refresh)["refresh_token"]?.string)
        try await Task.sleep(for: .seconds(29))
        let again = try await client(nil, hub).refresh(refresh)
        #expect(again.status == 200 && again["refresh_token"] == .string(refresh))
        let token = try #require(again["access_token"]?.string)
        #expect(try await client("Bearer \(token)", hub).get("cameras").status == 200)
        #expect(hub.log.contains(.graceGiven(device: "phone")))
        try await Task.sleep(for: .seconds(2))
        #expect(try await client(nil, hub).refresh(refresh).status == 401)
        #expect(try await client(nil, hub).refresh(next).status == 200)
    }

    @Test("of parallel refreshes with an echoing grace one has the new token")
    func parallel() async throws {
        let hub = ArgusHub(ArgusProject(grace: .echoesOld))
        let refresh = hub.makeTokens(for: "phone").refresh
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<6 {
                group.addTask { try await HubClient(hub).refresh(refresh)["refresh_token"]?.string }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.count { $0 == refresh } == 5)
        #expect(tokens.count { $0 != nil && $0 != refresh } == 1)
    }

    @Test("a grace that returns the successor makes a lost answer harmless")
    func successor() async throws {
        let hub = ArgusHub(ArgusProject(grace: .returnsSuccessor, gracePeriod: 5))
        let refresh = hub.makeTokens(for: "phone").refresh
        let next = try #require(try await client(nil, hub).refresh(refresh)["refresh_token"])
        try await Task.sleep(for: .seconds(4))
        #expect(try await client(nil, hub).refresh(refresh)["refresh_token"] == next)
        try await Task.sleep(for: .seconds(2))
        #expect(try await client(nil, hub).refresh(refresh).status == 401)
    }

    @Test("where reuse revokes, the whole family is refused afterwards, and no other one")
    func reuse() async throws {
        let hub = ArgusHub(ArgusProject(reuseRevokesFamily: true))
        let (refresh, other) = (hub.makeTokens(for: "phone").refresh, hub.makeTokens(for: "phone").refresh)
        let next = try #require(try await client(nil, hub).refresh(refresh)["refresh_token"]?.string)
        #expect(try await client(nil, hub).refresh(refresh).status == 401)
        #expect(hub.log.contains(.reuseRefused(device: "phone", revokesFamily: true)))
        #expect(try await client(nil, hub).refresh(next).status == 401)
        #expect(try await client(nil, hub).refresh(other).status == 200)
    }

    @Test("a device revokes a family of its own, or all of them, and nothing of another device")
    func revocation() async throws {
        let phone = HubClient(paired: hub, device: "phone")
        let (first, second) = (hub.makeTokens(for: "phone").refresh, hub.makeTokens(for: "phone").refresh)
        let foreign = hub.makeTokens(for: "tablet").refresh
        func revoke(_ body: JSONValue) async throws -> JSONValue? {
            try await phone.post("auth/revoke", body)["revoked_count"]
        }
        #expect(try await revoke(["refresh_token": .string(foreign)]) == 0)
        #expect(try await revoke(["refresh_token": "unknown"]) == 0)
        #expect(try await revoke(["device_id": "tablet"]) == 0)
        #expect(try await revoke(["refresh_token": .string(first)]) == 1)
        #expect(try await phone.refresh(first).status == 401)
        // The second, and the one that came with the access token.
        #expect(try await revoke(["revoke_all": true]) == 2)
        #expect(try await phone.refresh(second).status == 401)
        #expect(try await phone.refresh(foreign).status == 200)
        #expect(try await phone.post("auth/revoke", [:]).status == 400)
        #expect(try await phone.post("auth/revoke", ["revoke_all": "yes"]).status == 422)
        #expect(hub.log.contains(.revoked(device: "phone", count: 2)))
        hub.revokeFamily(of: "tablet")
        #expect(hub.log.last == .revoked(device: "tablet", count: 1))
    }
}
