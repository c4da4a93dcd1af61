import Foundation
import PeerKit
import PushServer
import PushWire
import SimulationTesting
import Testing
import Transport

@Suite("The simulated push service: faults", .simulated(seeds: 1...5))
struct FaultTests {
    @Test(
        "a fault refuses a request with its status and reason, and nothing is sent",
        arguments: [
            ("push.429", 429, "TooManyRequests"), ("push.500", 500, "InternalServerError"),
            ("push.503", 503, "ServiceUnavailable"), ("push.shutdown", 503, "Shutdown"),
        ]
    )
    func refusals(_ point: String, _ status: Int, _ reason: String) async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm(point, atMost: 1)
        let answer = try await fixture.send(to: device.token)
        #expect(answer.status == status && answer.reason == reason && answer.id == PushFixture.id)
        #expect(!fixture.service.log.contains(.accepted(id: PushFixture.id, token: device.token)))
        #expect(try await fixture.send(to: device.token).status == 200)
    }

    @Test("an answer that is lost comes as 503 after a silence, and the notification has been taken")
    func answerLost() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.answerLost", values: ["silence": 7])
        let start = ContinuousClock.now
        #expect(try await fixture.send(to: device.token).status == 503)
        #expect(ContinuousClock.now - start >= .seconds(7))
        #expect(try await device.next().id == PushFixture.id)
    }

    @Test("a slow answer comes late")
    func slow() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.slow", values: ["seconds": 3])
        let start = ContinuousClock.now
        #expect(try await fixture.send(to: device.token).status == 200)
        #expect(ContinuousClock.now - start >= .seconds(3))
    }

    @Test("a notification can be dropped after 200, and one for a token that has ended taken once more")
    func silence() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.lost", atMost: 1)
        #expect(try await fixture.send(to: device.token).status == 200)
        #expect(fixture.service.log.last == .dropped(id: PushFixture.id, token: device.token))
        fixture.service.end(device.token)
        try fixture.service.faults.arm("push.lateGone", atMost: 1)
        #expect(try await fixture.send(to: device.token).status == 200)
        #expect(try await fixture.send(to: device.token).status == 410)
    }

    @Test("a notification can come twice, and late")
    func repeated() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.twice", atMost: 1)
        _ = try await fixture.send(to: device.token)
        let first = try await device.next()
        #expect(try await device.next() == first)
        try fixture.service.faults.arm("push.late", values: ["seconds": 4], atMost: 1)
        let ids = (2...3).map { "6f9619ff-8b86-d011-b42d-00000000000\($0)" }
        for id in ids { _ = try await fixture.send(to: device.token, ["apns-id": id]) }
        #expect(try await device.next().id == ids[1])
        #expect(try await device.next().id == ids[0])
    }

    @Test("a connection that is cut loses no notification")
    func cut() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.cut", atMost: 1)
        _ = try await fixture.send(to: device.token)
        guard case .closed(let close) = try await device.socket.receive() else { throw NoWelcome() }
        #expect(close.code == 1006)
        let again = try await fixture.device(as: device.installation)
        #expect(try await again.next().id == PushFixture.id)
    }

    @Test("a device can be turned away, and can get another token when it comes back")
    func devices() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try fixture.service.faults.arm("push.turnedAway", atMost: 1)
        await #expect(throws: TransportError.self) { _ = try await fixture.open() }
        try fixture.service.faults.arm("push.tokenChanged", atMost: 1)
        let again = try await fixture.device(as: device.installation)
        #expect(again.token != device.token && again.installation == device.installation)
        #expect(try await fixture.send(to: device.token).status == 410)
    }
}
