import Foundation
import HTTPTypes
import PeerKit
import PushServer
import PushWire
import SimulationTesting
import Testing
import Transport

@Suite("The simulated push service: providers", .simulated(seeds: 1...3))
struct ProviderTests {
    @Test("a notification for a device is taken with 200, an empty body and the provider's apns-id")
    func taken() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        let answer = try await fixture.send(to: device.token)
        #expect(answer.status == 200 && answer.body.isNull && answer.id == PushFixture.id)
        #expect(answer.fields.value("apns-unique-id") == nil)
        let delivery = try await device.next()
        #expect(
            delivery.id == PushFixture.id && delivery.payload == PushFixture.payload
                && delivery.priority == 10
        )
        #expect(fixture.service.log.contains(.accepted(id: PushFixture.id, token: device.token)))
    }

    /// A request of which one thing is wrong.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var changes: [String: String?] = [:]
        var payload = PushFixture.payload
        var status = 400
        var reason: String

        var testDescription: String { "\(reason) \(changes.keys.sorted()) \(payload.count)" }
    }

    static let mistakes: [Mistake] = [
        Mistake(changes: ["apns-id": "no-uuid"], reason: "BadMessageId"),
        Mistake(changes: ["apns-topic": nil], reason: "MissingTopic"),
        Mistake(changes: ["apns-topic": ""], reason: "MissingTopic"),
        Mistake(changes: ["apns-topic": String(repeating: "a", count: 256)], reason: "BadTopic"),
        Mistake(changes: ["apns-push-type": "voip"], reason: "BadTopic"),
        Mistake(changes: ["apns-topic": "dev.example.stranger"], reason: "TopicDisallowed"),
        Mistake(changes: ["apns-topic": PushFixture.otherTopic], reason: "DeviceTokenNotForTopic"),
        Mistake(changes: ["apns-push-type": "loud"], reason: "InvalidPushType"),
        Mistake(changes: ["apns-push-type": "background"], reason: "InvalidPushType"),
        Mistake(changes: ["apns-expiration": "tomorrow"], reason: "BadExpirationDate"),
        Mistake(changes: ["apns-expiration": "-1"], reason: "BadExpirationDate"),
        Mistake(changes: ["apns-priority": "7"], reason: "BadPriority"),
        Mistake(
            changes: ["apns-priority": "10"],
            payload: #"{"aps":{"content-available":1}}"#,
            reason: "BadPriority"
        ),
        Mistake(changes: ["apns-collapse-id": String(repeating: "c", count: 65)], reason: "BadCollapseId"),
        Mistake(payload: "", reason: "PayloadEmpty"),
        Mistake(payload: "[]", reason: "PayloadEmpty"),
        Mistake(payload: #"{"event_id":"e"}"#, reason: "PayloadEmpty"),
        Mistake(payload: String(repeating: "a", count: 4097), status: 413, reason: "PayloadTooLarge"),
        Mistake(payload: String(repeating: "a", count: 20_000), status: 413, reason: "PayloadTooLarge"),
        Mistake(changes: ["authorization": nil], status: 403, reason: "MissingProviderToken"),
        Mistake(changes: ["authorization": "Basic abc"], status: 403, reason: "MissingProviderToken"),
        Mistake(changes: ["authorization": "bearer a.b.c"], status: 403, reason: "InvalidProviderToken"),
    ]

    @Test("a request with one mistake is refused with its reason, and nothing is sent", arguments: mistakes)
    func refused(_ mistake: Mistake) async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        let answer = try await fixture.send(to: device.token, mistake.changes, payload: mistake.payload)
        #expect(answer.status == mistake.status && answer.body == ["reason": .string(mistake.reason)])
        // Whatever it is, some clients wait for it.
        let id = (mistake.changes["apns-id"] ?? nil) ?? PushFixture.id
        #expect(answer.id == id)
        #expect(
            fixture.service.log.last == .refused(id: id, status: mistake.status, reason: mistake.reason)
        )
    }

    @Test("paths and methods that the interface does not have are refused")
    func places() async throws {
        let fixture = try await PushFixture()
        let fields = try fixture.fields()
        #expect(try await fixture.send("/4/device/aa", fields).reason == "BadPath")
        #expect(try await fixture.send("/3/device", fields).reason == "MissingDeviceToken")
        #expect(try await fixture.send("/3/device/", fields).reason == "MissingDeviceToken")
        let get = try await fixture.send("/3/device/aa", fields, method: .get, payload: "")
        #expect(get.status == 405 && get.reason == "MethodNotAllowed")
        for token in ["zz", "abc", "aa/bb", String(repeating: "a", count: 202)] {
            #expect(try await fixture.send("/3/device/\(token)", fields).reason == "BadDeviceToken")
        }
    }

    @Test("a field that stands twice is refused")
    func twice() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        var fields = try fixture.fields()
        let name = try #require(HTTPField.Name("apns-priority"))
        for value in ["10", "5"] { fields.append(HTTPField(name: name, value: value)) }
        #expect(try await fixture.send("/3/device/\(device.token)", fields).reason == "DuplicateHeaders")
    }

    @Test("a token of the other environment is a bad one, and so is one that was never given")
    func environments() async throws {
        let fixture = try await PushFixture { $0.environment = .sandbox }
        let (sandbox, production) = (
            try await fixture.device(.sandbox), try await fixture.device(.production)
        )
        let good = try await fixture.send(to: sandbox.token.uppercased())
        #expect(good.status == 200 && good.fields.value("apns-unique-id") != nil)
        #expect(try await fixture.send(to: production.token).reason == "BadDeviceToken")
        #expect(try await fixture.send(to: String(repeating: "0a", count: 32)).reason == "BadDeviceToken")
    }

    @Test("a token that has ended is answered with 410 and the millisecond of its end")
    func gone() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try await Task.sleep(for: .seconds(3))
        let before = Date().timeIntervalSince1970 * 1000
        try await device.socket.send(text: DeviceMessage.unregister.text)
        try await Task.sleep(for: .seconds(3))
        let answer = try await fixture.send(to: device.token)
        #expect(answer.status == 410 && answer.reason == "Unregistered")
        let time = try #require(answer.body["timestamp"]?.integer)
        #expect(Double(time) >= before.rounded(.down) && Double(time) < before + 1000)
    }

    @Test("a token of which too many have ended since is a bad one")
    func longGone() async throws {
        let fixture = try await PushFixture { $0.deadTokenLimit = 1 }
        let devices = [try await fixture.device(), try await fixture.device()]
        for device in devices { fixture.service.end(device.token) }
        #expect(try await fixture.send(to: devices[0].token).reason == "BadDeviceToken")
        #expect(try await fixture.send(to: devices[1].token).reason == "Unregistered")
    }

    @Test("the topic of a push type is the bundle ID with what the type adds")
    func suffixes() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        let long = #"{"aps":{"alert":"\#(String(repeating: "a", count: 5000))"}}"#
        let voip = try await fixture.send(
            to: device.token,
            ["apns-push-type": "voip", "apns-topic": "\(PushFixture.topic).voip"],
            payload: long
        )
        #expect(voip.status == 200)
        #expect(try await fixture.send(to: device.token, payload: long).reason == "PayloadTooLarge")
    }

    @Test("a device gets so many notifications in a row, and one more with each second")
    func tooMany() async throws {
        let fixture = try await PushFixture { $0.burst = 3 }
        let (device, other) = (try await fixture.device(), try await fixture.device(host: "tablet"))
        for _ in 0..<3 { #expect(try await fixture.send(to: device.token).status == 200) }
        let refused = try await fixture.send(to: device.token)
        #expect(refused.status == 429 && refused.reason == "TooManyRequests")
        #expect(try await fixture.send(to: other.token).status == 200)
        try await Task.sleep(for: .seconds(1.5))
        #expect(try await fixture.send(to: device.token).status == 200)
        #expect(try await fixture.send(to: device.token).status == 429)
    }
}

@Suite("The simulated push service: tokens of providers", .simulated(seeds: 1...3))
struct ProviderTokenTests {
    private func reason(_ fixture: PushFixture, _ jwt: String) async throws -> String? {
        let device = try await fixture.device()
        return try await fixture.send(to: device.token, ["authorization": "Bearer \(jwt)"]).reason
    }

    @Test("a token is valid from five minutes before its time, for an hour")
    func age() async throws {
        let fixture = try await PushFixture()
        for (age, reason) in [
            (3590.0, nil), (3700, "ExpiredProviderToken"), (-200, nil), (-400, "InvalidProviderToken"),
            (12.5, nil),
        ] as [(Double, String?)] {
            #expect(try await self.reason(fixture, fixture.jwt(age: age)) == reason, "\(age)")
        }
        // One that was taken expires as well.
        let jwt = try fixture.jwt()
        #expect(try await reason(fixture, jwt) == nil)
        try await Task.sleep(for: .seconds(3700))
        #expect(try await reason(fixture, jwt) == "ExpiredProviderToken")
    }

    @Test("another algorithm, key, team or signature is refused")
    func wrong() async throws {
        let fixture = try await PushFixture()
        let good = try fixture.jwt()
        let parts = good.split(separator: ".")
        let unsigned = "\(Base64.urlEncoded(Array(#"{"alg":"none","kid":"KEY0000001"}"#.utf8))).\(parts[1])."
        for jwt in [
            try fixture.jwt(header: ["alg": "HS256", "kid": "KEY0000001"]),
            try fixture.jwt(header: ["alg": "ES256"]),
            try fixture.jwt(header: ["alg": "ES256", "kid": "KEY0000009"]),
            try fixture.jwt(team: "TEAM000009"),
            unsigned, "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))",
        ] {
            #expect(try await reason(fixture, jwt) == "InvalidProviderToken")
        }
        #expect(try await reason(fixture, good) == nil)
    }

    @Test("a key for some topics opens no other")
    func scoped() async throws {
        let fixture = try await PushFixture()
        let jwt = try fixture.jwt(header: ["alg": "ES256", "kid": "KEY0000002"])
        #expect(try await reason(fixture, jwt) == "TopicDisallowed")
    }

    @Test("more new tokens of a key than are allowed within 20 minutes are refused, and the old ones are not")
    func updates() async throws {
        let fixture = try await PushFixture { $0.providerTokensPerPeriod = 2 }
        let tokens = try [0.0, 1, 2].map { try fixture.jwt(age: $0) }
        #expect(try await reason(fixture, tokens[0]) == nil)
        #expect(try await reason(fixture, tokens[1]) == nil)
        let device = try await fixture.device()
        let third = try await fixture.send(to: device.token, ["authorization": "bearer \(tokens[2])"])
        #expect(third.status == 429 && third.reason == "TooManyProviderTokenUpdates")
        #expect(try await reason(fixture, tokens[0]) == nil)
        try await Task.sleep(for: .seconds(20 * 60))
        #expect(try await reason(fixture, tokens[2]) == nil)
    }
}
