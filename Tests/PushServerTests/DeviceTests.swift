import Foundation
import HTTPTypes
import PushServer
import PushWire
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("The simulated push service: devices", .simulated(seeds: 1...5))
struct DeviceTests {
    private func send(
        _ fixture: PushFixture,
        _ device: TestDevice,
        _ id: Int,
        _ changes: [String: String?] = [:]
    )
        async throws
    {
        let changes = changes.merging(["apns-id": "6f9619ff-8b86-d011-b42d-00000000000\(id)"]) { $1 }
        #expect(try await fixture.send(to: device.token, changes).status == 200)
    }

    /// The last digit of the IDs of what comes within two seconds, oldest first.
    private func arrivals(_ device: TestDevice) async -> [Int] {
        let reader = Task {
            var numbers: [Int] = []
            while let next = try? await device.next() { numbers.append(Int(String(next.id.suffix(1))) ?? -1) }
            return numbers
        }
        try? await Task.sleep(for: .seconds(2))
        reader.cancel()
        return await reader.value
    }

    @Test(
        "a new device gets a token of 32 bytes; the same installation gets it again, and another one another"
    )
    func tokens() async throws {
        let fixture = try await PushFixture()
        let first = try await fixture.device()
        #expect(first.token.count == 64 && first.token.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        await first.leave()
        let again = try await fixture.device(as: first.installation)
        #expect(again.token == first.token && again.installation == first.installation)
        let other = try await fixture.device(host: "tablet")
        #expect(other.token != first.token && fixture.service.tokens == [first.token, other.token].sorted())
    }

    @Test("of what comes while a device is not connected the last is kept")
    func lastIsKept() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        await device.leave()
        for number in 1...3 { try await send(fixture, device, number) }
        let again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [3])
        #expect(fixture.service.log.filter { if case .dropped = $0 { true } else { false } }.count == 2)
    }

    @Test(
        "what was sent and not acknowledged comes again with the next connection, in its order; what was does not"
    )
    func unacknowledged() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        for number in 1...3 { try await send(fixture, device, number) }
        var came: [PushDelivery] = []
        for _ in 0..<3 { came.append(try await device.next()) }
        try await device.confirm(came[1])
        await device.leave()
        try await send(fixture, device, 4)
        let again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [1, 3, 4])
    }

    @Test("a notification is kept until it expires, and not at all with 0")
    func expiry() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        try await send(fixture, device, 1, ["apns-expiration": "0"])
        #expect(await arrivals(device) == [1])
        await device.leave()
        try await send(fixture, device, 2, ["apns-expiration": "0"])
        var again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [])
        await again.leave()
        let soon = String(Int(Date().timeIntervalSince1970) + 60)
        try await send(fixture, device, 3, ["apns-expiration": soon])
        again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [3])
        await again.leave()
        try await Task.sleep(for: .seconds(90))
        again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [])
    }

    @Test(
        "a later notification takes the place of an earlier one with its collapse ID, where that was not acknowledged"
    )
    func collapse() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        for (number, id) in [(1, "a"), (2, "b"), (3, "a")] {
            try await send(fixture, device, number, ["apns-collapse-id": id])
        }
        #expect(await arrivals(device) == [1, 2, 3])
        await device.leave()
        let again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [2, 3])
    }

    @Test("past the limit of unacknowledged notifications the oldest is dropped")
    func bounded() async throws {
        let fixture = try await PushFixture { $0.unacknowledgedLimit = 2 }
        let device = try await fixture.device()
        for number in 1...4 { try await send(fixture, device, number) }
        #expect(await arrivals(device) == [1, 2, 3, 4])
        await device.leave()
        let again = try await fixture.device(as: device.installation)
        #expect(await arrivals(again) == [3, 4])
    }

    @Test("an installation has one connection: the later one ends the earlier")
    func replaced() async throws {
        let fixture = try await PushFixture()
        let first = try await fixture.device()
        let second = try await fixture.device(as: first.installation)
        #expect(
            try await first.socket.receive() == .closed(WebSocketClose(code: 4003, reason: "connected again"))
        )
        try await send(fixture, second, 1)
        #expect(await arrivals(second) == [1])
        #expect(fixture.service.connectionCount == 1)
    }

    @Test("another token takes the place of the first at once, and the first ends")
    func renewed() async throws {
        let fixture = try await PushFixture()
        let device = try await fixture.device()
        fixture.service.renew(device.token)
        guard case .text(let text) = try await device.socket.receive(),
            case .welcome(let token, _) = try ServiceMessage(text)
        else { throw NoWelcome() }
        #expect(token != device.token)
        #expect(try await fixture.send(to: device.token).status == 410)
        #expect(try await fixture.send(to: token).status == 200)
    }

    @Test(
        "a connection that does not begin with a hello, or goes on with what is no message, is ended",
        arguments: [
            "", "{}", #"{"type":"shown","number":1}"#, #"{"type":"hello","environment":"moon","topic":"t"}"#,
        ]
    )
    func badMessages(_ text: String) async throws {
        let fixture = try await PushFixture()
        let socket = try await fixture.open()
        try await socket.send(text: text)
        #expect(try await socket.receive() == .closed(WebSocketClose(code: 1008, reason: "bad message")))
        let device = try await fixture.device()
        try await device.socket.send(text: text == "" ? "[]" : #"{"type":"other"}"#)
        #expect(
            try await device.socket.receive() == .closed(WebSocketClose(code: 1008, reason: "bad message"))
        )
    }

    @Test("a connection on which no hello comes is ended after ten seconds")
    func silent() async throws {
        let fixture = try await PushFixture()
        let socket = try await fixture.open()
        let start = ContinuousClock.now
        #expect(try await socket.receive() == .closed(WebSocketClose(code: 1008, reason: "bad message")))
        #expect((9...12).contains((ContinuousClock.now - start) / .seconds(1)))
    }

    @Test(
        "strangers, unknown topics and further installations than there may be are refused, each with its code"
    )
    func refusals() async throws {
        let fixture = try await PushFixture { $0.installationLimit = 1 }
        let device = try await fixture.device()
        let wrong = PushInstallation(id: device.installation.id, secret: "0")
        for (hello, code) in [
            (PushHello(environment: .production, topic: "other"), 4001),
            (PushHello(environment: .production, topic: PushFixture.topic, installation: wrong), 4002),
            (
                PushHello(environment: .sandbox, topic: PushFixture.topic, installation: device.installation),
                4002
            ),
            (PushHello(environment: .production, topic: PushFixture.topic), 1013),
        ] as [(PushHello, UInt16)] {
            let socket = try await fixture.open(host: "stranger")
            try await socket.send(text: DeviceMessage.hello(hello).text)
            guard case .closed(let close) = try await socket.receive() else { throw NoWelcome() }
            #expect(close.code == code)
        }
    }

    @Test("a path without devices is none, and a request without a WebSocket is refused")
    func paths() async throws {
        let fixture = try await PushFixture()
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "push:81",
            path: PushServer.devicePath
        )
        let answer = try await fixture.network.host("phone").send(request, body: .empty, timeout: .seconds(5))
        #expect(answer.head.status.code == 426)
        var other = HTTPRequest(method: .get, scheme: "ws", authority: "push:81", path: "/other")
        other.headerFields = [:]
        await #expect(throws: TransportError.self) {
            _ = try await fixture.network.host("phone")
                .connect(other, limits: WebSocketLimits(), timeout: .seconds(5))
        }
    }
}
