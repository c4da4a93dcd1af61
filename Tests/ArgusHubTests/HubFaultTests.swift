import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated hub: faults", .simulated(seeds: 1...3, stalls: .none))
struct HubFaultTests {
    private let hub = ArgusHub(
        ArgusProject(
            events: (1...30).map {
                HubEvent(id: "evt_\($0)", timestamp: Date(timeIntervalSince1970: Double($0)))
            }
        )
    )

    @Test("each fault point strikes where it is armed, and nowhere else")
    func names() throws {
        #expect(Set(ArgusHub.faultPoints.map(\.name)).count == ArgusHub.faultPoints.count)
        let own = ArgusHub.faultPoints.map(\.name).filter { $0.hasPrefix("argus.") }
        #expect(own.count == 16)
        #expect(throws: FaultNotArmed.self) { try hub.faults.arm("argus.nothing") }
    }

    @Test("an answer that is lost has taken effect, and a proxy says so after a silence")
    func lost() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.answerLost", values: ["silence": 20], atMost: 1)
        let start = try #require(Simulation.current).now
        let answer = try await phone.register("aa")
        #expect(answer.status == 504 && answer.json == .null)
        #expect(try #require(Simulation.current).now - start == .seconds(20))
        #expect(hub.pushTokens.map(\.token) == ["aa"])
        #expect(try await phone.register("aa").status == 200)
    }

    @Test("an answer that is cut has taken effect, and breaks inside")
    func cut() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.answerCut", atMost: 1)
        await #expect(throws: TransportError.self) { try await phone.register("aa") }
        #expect(hub.pushTokens.map(\.token) == ["aa"])
    }

    @Test("a busy hub changes nothing and says when to come back", arguments: [429, 503])
    func busy(_ status: Int) async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm(
            "argus.busy",
            values: ["status": Double(status), "retryAfter": 7],
            atMost: 1
        )
        let answer = try await phone.register("aa")
        #expect(answer.status == status && answer.head[.retryAfter] == "7" && answer.detail != nil)
        #expect(hub.pushTokens.isEmpty)
        #expect(hub.log.last == .refused(path: "/api/v1/mobile/push/register", status: status))
    }

    @Test("a hub that fails says so in plain text")
    func failure() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.500", atMost: 1)
        let answer = try await phone.register("aa")
        #expect(answer.status == 500 && answer.head[.contentType] == "text/plain; charset=utf-8")
        #expect(String(decoding: answer.bytes, as: UTF8.self) == "Internal Server Error")
        #expect(hub.pushTokens.isEmpty)
    }

    @Test("a request is refused with a list that repeats what was sent")
    func schema() async throws {
        let token = hub.makeTokens(for: "phone").refresh
        try hub.faults.arm("argus.422", atMost: 1)
        let answer = try await HubClient(hub).refresh(token)
        #expect(answer.status == 422)
        #expect(answer["detail"]?.array?.first?["input"] == ["refresh_token": .string(token)])
        #expect(try await HubClient(hub).refresh(token).status == 200)
    }

    @Test("access tokens are revoked just before a call")
    func revoked() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.revoked", skipping: 1, atMost: 1)
        #expect(try await phone.get("cameras").status == 200)
        #expect(try await phone.get("cameras").status == 401)
        #expect(try await HubClient(paired: hub).get("cameras").status == 200)
    }

    @Test("the answer to a refresh is lost after the token was used up")
    func refreshLost() async throws {
        let token = hub.makeTokens(for: "phone").refresh
        try hub.faults.arm("argus.refresh.lost", values: ["silence": 3], atMost: 1)
        let start = try #require(Simulation.current).now
        #expect(try await HubClient(paired: hub).get("cameras").status == 200)
        #expect(try await HubClient(hub).refresh(token).status == 504)
        #expect(try #require(Simulation.current).now - start == .seconds(3))
        #expect(hub.log.contains(.refreshed(device: "phone")))
        #expect(try await HubClient(hub).refresh(token).status == 401)
    }

    @Test("a token is shorter than the hub says")
    func shortToken() async throws {
        try hub.faults.arm("argus.token.short", values: ["seconds": 0], atMost: 1)
        let answer = try await HubClient(hub).verify(hub.makeCode())
        #expect(answer["expires_in"] == 3600)
        var phone = HubClient(hub)
        phone.authorization = "Bearer \(answer["access_token"]?.string ?? "")"
        #expect(try await phone.get("cameras").detail == "Token has expired")
    }

    @Test("the hub says any lifetime, and the token has its own", arguments: [0, -300, 2_147_483_648])
    func wrongExpiry(_ seconds: Int) async throws {
        try hub.faults.arm("argus.token.expiresIn", values: ["seconds": Double(seconds)], atMost: 1)
        let answer = try await HubClient(hub).verify(hub.makeCode())
        #expect(answer["expires_in"] == .integer(seconds))
        var phone = HubClient(hub)
        phone.authorization = "Bearer \(answer["access_token"]?.string ?? "")"
        #expect(try await phone.get("cameras").status == 200)
        let refresh = answer["refresh_token"]?.string ?? ""
        #expect(try await phone.refresh(refresh)["expires_in"] == 3600)
    }

    @Test("codes are forgotten just before one is sent, and a new one is taken")
    func codesForgotten() async throws {
        let code = hub.makeCode()
        try hub.faults.arm("argus.codes.forgotten", atMost: 1)
        #expect(try await HubClient(hub).verify(code).status == 401)
        #expect(try await HubClient(hub).verify(hub.makeCode()).status == 200)
    }

    @Test("a page has another size than was asked for")
    func pageSize() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.events.pageSizeIgnored", values: ["size": 7], atMost: 1)
        let answer = try await phone.get("events?page=2&page_size=20")
        #expect(answer.ids == (17...23).reversed().map { "evt_\($0)" })
        #expect(answer["page_size"] == 7 && answer["total"] == 30)
        #expect(try await phone.get("events?page_size=20").ids.count == 20)
    }

    @Test("the total shrinks from page to page")
    func total() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.events.totalShrinks", values: ["count": 12], skipping: 1, atMost: 1)
        #expect(try await phone.get("events?page_size=20")["total"] == 30)
        let second = try await phone.get("events?page=2&page_size=20")
        #expect(second["total"] == 18 && second.ids.isEmpty)
        #expect(try await phone.get("events")["total"] == 18)
        #expect(hub.log.contains(.eventRemoved(id: "evt_1")) && hub.events.last?.id == "evt_13")
    }

    @Test("an event of the list is not there, once")
    func missing() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.event.missing", atMost: 1)
        #expect(try await phone.get("events/evt_3").detail == "Event evt_3 not found")
        #expect(try await phone.get("events/evt_3").status == 200)
    }

    @Test("a thumbnail is called a JPEG and is none")
    func noPicture() async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("argus.thumbnail.noPicture", atMost: 1)
        let answer = try await phone.get("events/evt_3/thumbnail")
        #expect(answer.status == 200 && answer.head[.contentType] == "image/jpeg")
        #expect(!answer.bytes.starts(with: [0xFF, 0xD8]))
        #expect(try await phone.get("events/evt_3/thumbnail").bytes.starts(with: [0xFF, 0xD8]))
    }

    @Test("faults of all services keep a request from the hub", arguments: [429, 502, 503])
    func way(_ status: Int) async throws {
        let phone = HubClient(paired: hub)
        try hub.faults.arm("http.\(status)", atMost: 1)
        #expect(try await phone.register("aa").status == status)
        #expect(hub.pushTokens.isEmpty && hub.log.isEmpty && hub.requestCount == 1)
    }
}
