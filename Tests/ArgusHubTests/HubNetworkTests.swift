import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated hub on a network", .simulated(seeds: 1...5))
struct HubNetworkTests {
    @Test("a phone pairs, reads and registers over a network, where an answer may be cut")
    func visit() async throws {
        let hub = ArgusHub()
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))
        let (host, phone) = (network.host("hub"), network.host("phone"))
        _ = try await host.listen(hub, at: SocketAddress(host: "hub", port: 8000))
        func call(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ json: JSONValue? = nil,
            token: JSONValue? = nil
        ) async throws -> (status: Int, json: JSONValue) {
            var request = HTTPRequest(
                method: method,
                scheme: "http",
                authority: "hub:8000",
                path: "/api/v1/mobile/\(path)"
            )
            if let token = token?.string { request.headerFields[.authorization] = "Bearer \(token)" }
            let body: HTTPBody = json.map { .bytes($0.json) } ?? .empty
            let answer = try await phone.send(request, body: body, timeout: .seconds(30))
            let bytes = try await answer.body.collect(upTo: 1 << 20)
            return (answer.head.status.code, (try? JSONValue(json: bytes)) ?? .null)
        }
        let paired = try await call(
            .post,
            "auth/verify",
            [
                "code": .string(hub.makeCode()), "device_id": .string(HubClient.device), "device_name": "p",
            ]
        )
        let token = try #require(paired.json["access_token"])
        hub.add(HubEvent(id: "evt_123", timestamp: .now))
        let page = try await call(.get, "events?page=1&page_size=20", token: token)
        #expect(page.status == 200 && page.json["total"] == 1)
        let body: JSONValue = ["push_token": "aa", "platform": "ios"]
        #expect(try await call(.post, "push/register", body, token: token).status == 201)
        try hub.faults.arm("argus.answerCut", atMost: 1)
        await #expect(throws: TransportError.self) { try await call(.get, "cameras", token: token) }
        #expect(try await call(.get, "cameras", token: token).status == 200)
        #expect(hub.requestCount == 5)
    }
}
