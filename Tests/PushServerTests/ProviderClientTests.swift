import Foundation
import HTTPTypes
import PeerKit
import PushProvider
import PushServer
import SignedToken
import SimulatedTransport
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A provider of a push service", .simulated(seeds: 1...5))
struct ProviderClientTests {
    /// A provider, and a server that answers as a test says.
    private struct Scripted {
        let provider: PushProvider
        let requests: Box<[HTTPRequest]>

        /// The tokens of the requests, oldest first.
        var tokens: [String] {
            requests.value.compactMap {
                $0.headerFields[.authorization]?.split(separator: " ").last.map { String($0) }
            }
        }
    }

    private func scripted(_ answers: [(Int, String)]) async throws -> Scripted {
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(5))))
        let (requests, left) = (Box<[HTTPRequest]>([]), Box(answers))
        let server = ScriptedServer(answer: { request, _ in
            requests.append(request)
            var all = left.value
            let (status, body) = all.isEmpty ? (200, "") : all.removeFirst()
            left.set(all)
            var head = HTTPResponse(status: .init(code: status))
            if status == 429 { head.headerFields[.retryAfter] = "7" }
            return (head, .text(body))
        })
        _ = try await network.host("push").listen(server, at: SocketAddress(host: "push", port: 80))
        let provider = PushProvider(
            scheme: "http",
            authority: "push:80",
            topic: PushFixture.topic,
            credentials: PushProvider.Credentials(
                teamID: "TEAM000001",
                keyID: "KEY0000001",
                signer: RepeatableSigner([UInt8](repeating: 5, count: 32))
            ),
            over: network.host("hub")
        )
        return Scripted(provider: provider, requests: requests)
    }

    private func message(_ token: String = "ab", bytes: Int? = nil) -> PushMessage {
        let payload =
            bytes.map { [UInt8](repeating: UInt8(ascii: "a"), count: $0) } ?? Array(PushFixture.payload.utf8)
        return PushMessage(token: token, id: PushFixture.id, payload: payload, collapseID: "evt_123")
    }

    @Test(
        "an answer is the outcome that its status and reason stand for",
        arguments: [
            (200, "", PushOutcome.accepted),
            (400, #"{"reason":"BadDeviceToken"}"#, .badDeviceToken),
            (400, #"{"reason":"DeviceTokenNotForTopic"}"#, .badDeviceToken),
            (400, #"{"reason":"BadTopic"}"#, .refused(status: 400, reason: "BadTopic")),
            (
                403, #"{"reason":"InvalidProviderToken"}"#,
                .refused(status: 403, reason: "InvalidProviderToken")
            ),
            (404, "no JSON", .refused(status: 404, reason: "status 404")),
            (
                410, #"{"reason":"Unregistered","timestamp":1735689600123}"#,
                .unregistered(since: Date(timeIntervalSince1970: 1_735_689_600.123))
            ),
            (429, #"{"reason":"TooManyRequests"}"#, .later(after: .seconds(7), reason: "TooManyRequests")),
            (500, #"{"reason":"InternalServerError"}"#, .later(after: .zero, reason: "InternalServerError")),
            (503, #"{"reason":"Shutdown"}"#, .later(after: .zero, reason: "Shutdown")),
        ]
    )
    func outcomes(_ status: Int, _ body: String, _ outcome: PushOutcome) async throws {
        let scripted = try await scripted([(status, body)])
        #expect(await scripted.provider.send(message()) == outcome)
        #expect(scripted.requests.value.count == 1)
    }

    @Test("a payload of more than 4096 bytes, and a token that is no hexadecimal text, are not sent")
    func notSent() async throws {
        let scripted = try await scripted([])
        #expect(await scripted.provider.send(message(bytes: 4097)) == .tooLarge(bytes: 4097))
        for token in ["", "../device", "ab/cd", "zz"] {
            #expect(await scripted.provider.send(message(token)) == .badDeviceToken)
        }
        #expect(scripted.requests.value.isEmpty)
        #expect(await scripted.provider.send(message(bytes: 4096)) == .accepted)
    }

    @Test("one token serves all notifications of 50 minutes, and then another one")
    func renewal() async throws {
        let scripted = try await scripted([])
        let start = ContinuousClock.now
        for minutes in [0, 20, 49, 51, 99, 102] {
            try await Task.sleep(until: start + .seconds(60 * minutes))
            #expect(await scripted.provider.send(message()) == .accepted)
        }
        let tokens = scripted.tokens
        #expect(tokens[0] == tokens[1] && tokens[1] == tokens[2])
        #expect(tokens[3] != tokens[2] && tokens[4] == tokens[3] && tokens[5] != tokens[4])
    }

    @Test("a token that the service calls expired is made again, once for each notification")
    func expired() async throws {
        let expired = (403, #"{"reason":"ExpiredProviderToken"}"#)
        let scripted = try await scripted([(200, ""), expired, (200, ""), expired, expired])
        #expect(await scripted.provider.send(message()) == .accepted)
        try await Task.sleep(for: .seconds(60))
        #expect(await scripted.provider.send(message()) == .accepted)
        let tokens = scripted.tokens
        #expect(tokens.count == 3 && tokens[0] == tokens[1] && tokens[2] != tokens[1])
        try await Task.sleep(for: .seconds(60))
        #expect(
            await scripted.provider.send(message()) == .refused(status: 403, reason: "ExpiredProviderToken")
        )
        #expect(scripted.requests.value.count == 5)
    }

    @Test("a service that is not there, or does not answer, is for later")
    func absent() async throws {
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(5))))
        _ = network.host("push")
        let provider = PushProvider(
            scheme: "http",
            authority: "push:80",
            topic: PushFixture.topic,
            credentials: PushProvider.Credentials(
                teamID: "TEAM000001",
                keyID: "KEY0000001",
                signer: RepeatableSigner([UInt8](repeating: 5, count: 32))
            ),
            over: network.host("hub")
        )
        guard case .later = await provider.send(message()) else {
            Issue.record("nobody has taken the notification")
            return
        }
    }
}
