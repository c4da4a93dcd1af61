import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing

@Suite("The simulated hub: pairing", .simulated(seeds: 1...5))
struct HubPairingTests {
    private let hub = ArgusHub()
    private var phone: HubClient { HubClient(hub) }

    @Test("a code of the hub gives tokens of one hour, once, and the pairing is noted")
    func once() async throws {
        let code = hub.makeCode()
        #expect(code.utf8.count == 6 && code.allSatisfy { ("0"..."9").contains($0) })
        let answer = try await phone.verify(code)
        #expect(answer.status == 200)
        #expect(answer["expires_in"] == 3600 && answer["token_type"] == "Bearer")
        #expect(answer["refresh_token"]?.string?.count == 128)
        let token = try #require(answer["access_token"]?.string)
        let claims = try WebToken(secret: "argus-signing-secret").verify(token, now: Date())
        let issued = try #require(claims["iat"]?.integer)
        #expect(claims["sub"] == .string(HubClient.device) && claims["exp"] == .integer(issued + 3600))
        #expect(abs(Date().timeIntervalSince1970 - Double(issued)) <= 1)
        #expect(hub.log.contains(.paired(device: HubClient.device, name: "Ada's phone")))
        var paired = phone
        paired.authorization = "Bearer \(token)"
        #expect(try await paired.get("cameras").status == 200)
        let again = try await phone.verify(code)
        #expect(again.status == 401 && again.detail == "Invalid or expired code")
    }

    @Test("codes keep their leading zeros, and no two that can be used are the same")
    func codes() async throws {
        let codes = (0..<2000).map { _ in hub.makeCode() }
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { $0.utf8.count == 6 })
        let zero = try #require(codes.first { $0.hasPrefix("0") })
        #expect(try await phone.verify(String(zero.dropFirst())).status == 400)
        #expect(try await phone.verify(zero).status == 200)
    }

    @Test("a code can be used for five minutes")
    func lifetime() async throws {
        let (first, second) = (hub.makeCode(), hub.makeCode())
        try await Task.sleep(for: .seconds(299))
        #expect(try await phone.verify(first).status == 200)
        try await Task.sleep(for: .seconds(1))
        #expect(try await phone.verify(second).status == 401)
    }

    @Test(
        "what is no code of six ASCII digits and no UUID is malformed, and what does not fit the description has a list",
        arguments: [
            (["code": "12345"], 400), (["code": "1234567"], 400), (["code": "12345a"], 400),
            (["code": "١٢٣٤٥٦"], 400), (["code": " 12345"], 400), (["device_id": "phone"], 400),
            (["code": 123_456], 422), (["code": nil], 422), (["device_id": nil], 422),
            (["device_name": nil], 422), (["device_name": ""], 422), (["device_id": 7], 422),
        ] as [([String: JSONValue], Int)]
    )
    func malformed(_ change: [String: JSONValue], _ status: Int) async throws {
        var body: [String: JSONValue] = [
            "code": .string(hub.makeCode()), "device_id": .string(HubClient.device), "device_name": "p",
        ]
        #expect(try await HubClient(hub).post("auth/verify", .object(body)).status == 200)
        body["code"] = .string(hub.makeCode())
        for (name, value) in change { body[name] = value }
        let answer = try await phone.post("auth/verify", .object(body))
        #expect(answer.status == status)
        if status == 400 {
            #expect(answer.detail?.isEmpty == false)
        } else {
            let item = try #require(answer["detail"]?.array?.first)
            #expect(item["loc"] == ["body", .string(try #require(change.keys.first))])
            #expect(item["msg"]?.string?.isEmpty == false && item["type"] != nil)
        }
    }

    @Test("a body that is no JSON object is refused with a list, and one that is too long with 413")
    func bodies() async throws {
        for text in ["", "[]", "7", "{", "{\"code\":"] {
            let answer = try await phone.send(.post, "/api/v1/mobile/auth/verify", text: text)
            #expect(answer.status == 422 && answer["detail"]?.array?.first?["loc"] == ["body"], "\(text)")
        }
        let long = String(repeating: " ", count: 70_000)
        #expect(try await phone.send(.post, "/api/v1/mobile/auth/verify", text: long).status == 413)
    }

    @Test("five wrong codes of a client lock it out until the window ends, and use up no code")
    func attempts() async throws {
        let code = hub.makeCode()
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try await phone.verify(wrong).status == 401) }
        try await Task.sleep(for: .seconds(100))
        for code in [wrong, code] {
            let answer = try await phone.verify(code)
            #expect(answer.status == 429 && answer.detail != nil)
            #expect(answer.head[.retryAfter] == "200")
        }
        let other = UUID().uuidString
        #expect(try await phone.verify(code, device: other).status == 200)
        try await Task.sleep(for: .seconds(200))
        #expect(try await phone.verify(hub.makeCode()).status == 200)
    }

    @Test("a right code ends the count of wrong ones")
    func counting() async throws {
        for _ in 0..<3 {
            let code = hub.makeCode()
            let wrong = code == "000000" ? "000001" : "000000"
            for _ in 0..<4 { #expect(try await phone.verify(wrong).status == 401) }
            #expect(try await phone.verify(code).status == 200)
        }
    }

    @Test("of many that use one code at once exactly one gets tokens")
    func race() async throws {
        let (code, hub) = (hub.makeCode(), hub)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { try await HubClient(hub).verify(code, device: UUID().uuidString).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 401, 401, 401])
    }

    @Test("a code that a phone asks for can be used once the admin has confirmed it")
    func confirmed() async throws {
        let asked = try await phone.post(
            "auth/pair",
            ["device_id": .string(HubClient.device), "platform": "ios", "device_name": "Ada's phone"]
        )
        let code = try #require(asked["code"]?.string)
        #expect(asked.status == 200 && asked["expires_in"] == 300)
        #expect(asked["expires_at"]?.string?.hasSuffix("Z") == true)
        #expect(try await phone.verify(code).status == 401)
        let body: JSONValue = ["code": .string(code)]
        #expect(try await phone.post("auth/confirm", body).status == 401)
        #expect(try await HubClient(paired: hub).post("auth/confirm", body).status == 403)
        let admin = HubClient(admin: hub)
        let confirmed = try await admin.post("auth/confirm", body)
        #expect(confirmed.status == 200 && confirmed["confirmed"] == true)
        #expect(confirmed["device_name"] == "Ada's phone" && confirmed["platform"] == "ios")
        #expect(try await admin.post("auth/confirm", body).status == 404)
        #expect(try await admin.post("auth/confirm", ["code": "12345"]).status == 422)
        #expect(try await phone.verify(code).status == 200)
    }

    @Test("a phone may ask for five codes a minute, on a platform that there is")
    func manyCodes() async throws {
        let body: JSONValue = ["device_id": "a", "platform": "android"]
        for _ in 0..<5 { #expect(try await phone.post("auth/pair", body).status == 200) }
        let sixth = try await phone.post("auth/pair", body)
        #expect(sixth.status == 429 && sixth.head[.retryAfter] == "60")
        #expect(try await phone.post("auth/pair", ["device_id": "b", "platform": "ios"]).status == 200)
        #expect(try await phone.post("auth/pair", ["device_id": "b", "platform": "web"]).status == 422)
        try await Task.sleep(for: .seconds(60))
        #expect(try await phone.post("auth/pair", body).status == 200)
    }

    @Test("lifetimes and limits are those of the project")
    func project() async throws {
        let hub = ArgusHub(ArgusProject(codeLifetime: 10, tokenLifetime: 60, wrongAttemptLimit: 1))
        let phone = HubClient(hub)
        let code = hub.makeCode()
        #expect(try await phone.verify(code)["expires_in"] == 60)
        #expect(try await phone.verify(code).status == 401)
        #expect(try await phone.verify(hub.makeCode()).head[.retryAfter] == "10")
        let late = hub.makeCode()
        try await Task.sleep(for: .seconds(10))
        #expect(try await phone.verify(late).status == 401)
    }
}
