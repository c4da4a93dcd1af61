import Concurrency
import PeerKit
import PushConnection
import PushProvider
import PushServer
import PushWire
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("The connection to a push service", .simulated(seeds: 1...10))
struct PushConnectionTests {
    private static let payload = #"{"aps":{"alert":{"title":"Motion Detected","body":"Front Door Camera"}}}"#

    private func message(
        _ world: ConnectionWorld,
        _ number: Int,
        payload: String = Self.payload
    ) throws -> PushMessage {
        let digits = String(number)
        let id = "6f9619ff-8b86-4011-b42d-" + String(repeating: "0", count: 12 - digits.count) + digits
        return PushMessage(token: try world.token(), id: id, payload: Array(payload.utf8))
    }

    private func connected(_ world: ConnectionWorld) async throws -> PushConnection {
        let connection = try world.makeConnection()
        #expect(await connection.requestAuthorization())
        for await status in connection.status.values() where status == .connected { break }
        return connection
    }

    @Test("a device that is restarted has its token, and shows nothing twice")
    func restarted() async throws {
        let world = try await ConnectionWorld.simulated()
        var connection = try await connected(world)
        let token = try world.token()
        try await world.send(message(world, 1))
        try await Task.sleep(for: .seconds(1))
        await connection.shutdown()
        #expect(connection.status.value == .idle)
        connection = try await connected(world)
        #expect(world.service.tokens == [token])
        for number in [1, 2] { try await world.send(message(world, number)) }
        try await Task.sleep(for: .seconds(1))
        #expect(world.shown.value.map { $0.id.last } == ["1", "2"])
        await connection.shutdown()
        await world.stop()
    }

    @Test("a device that the service has forgotten begins as a new one")
    func forgotten() async throws {
        let world = try await ConnectionWorld.simulated()
        var connection = try await connected(world)
        let token = try world.token()
        await connection.shutdown()
        world.service.end(token)
        connection = try await connected(world)
        #expect(try world.token() != token)
        try await world.send(message(world, 1))
        try await Task.sleep(for: .seconds(1))
        #expect(world.shown.value.count == 1)
        await connection.shutdown()
        await world.stop()
    }

    @Test(
        "a notification without an alert is acknowledged, and not shown",
        arguments: [#"{"aps":{"content-available":1,"badge":1}}"#, #"{"aps":{"badge":3}}"#]
    )
    func silent(_ payload: String) async throws {
        let world = try await ConnectionWorld.simulated()
        let connection = try await connected(world)
        let message = try message(world, 1, payload: payload)
        try await world.send(message)
        try await Task.sleep(for: .seconds(1))
        #expect(world.shown.value.isEmpty)
        #expect(world.service.log.contains(.shown(id: message.id, token: message.token)))
        await connection.shutdown()
        await world.stop()
    }

    @Test("an alert that is a text is the body")
    func text() async throws {
        let world = try await ConnectionWorld.simulated()
        let connection = try await connected(world)
        try await world.send(message(world, 1, payload: #"{"aps":{"alert":"Hello"}}"#))
        try await Task.sleep(for: .seconds(1))
        #expect(world.shown.value.map(\.title) == [""] && world.shown.value.map(\.body) == ["Hello"])
        await connection.shutdown()
        await world.stop()
    }

    @Test(
        "what cannot be noted as shown is not acknowledged, is shown once, and is acknowledged once it can be noted"
    )
    func notNoted() async throws {
        let world = try await ConnectionWorld.simulated()
        let connection = try await connected(world)
        let message = try message(world, 1)
        world.secrets.fail(with: .unavailable(detail: "a full disk"))
        try await world.send(message)
        try await Task.sleep(for: .seconds(200))
        #expect(!world.service.log.contains(.shown(id: message.id, token: message.token)))
        world.secrets.fail(with: nil)
        try await Task.sleep(for: .seconds(200))
        #expect(world.service.log.contains(.shown(id: message.id, token: message.token)))
        #expect(world.shown.value.map(\.id) == [message.id])
        await connection.shutdown()
        await world.stop()
    }

    @Test(
        "a service that is away is tried again after longer and longer waits, of a minute and a half at most"
    )
    func waits() async throws {
        let world = try await ConnectionWorld.simulated()
        try world.service.faults.arm("push.turnedAway", atMost: 12)
        let connection = try world.makeConnection()
        let tries = Box<[ContinuousClock.Instant]>([])
        let states = connection.status.values()
        let watch = Task { for await state in states where state == .connecting { tries.append(.now) } }
        #expect(await connection.requestAuthorization())
        for await status in connection.status.values() where status == .connected { break }
        watch.cancel()
        let waits = zip(tries.value, tries.value.dropFirst()).map { ($1 - $0) / .seconds(1) }
        #expect(waits.count == 12 && waits.allSatisfy { (1...91).contains($0) })
        #expect(waits.first.map { $0 < 2 } == true && waits.last.map { $0 >= 60 } == true)
        await connection.shutdown()
        await world.stop()
    }

    @Test("whatever becomes of connections and answers, each notification is shown once")
    func storm() async throws {
        let world = try await ConnectionWorld.simulated(
            link: LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        )
        let connection = try await connected(world)
        for (point, values) in [
            ("push.cut", [:]), ("push.twice", [:]), ("push.late", ["seconds": 2]), ("push.turnedAway", [:]),
            ("push.answerLost", ["silence": 2]), ("push.503", [:]),
        ] as [(String, [String: Double])] {
            try world.service.faults.arm(point, probability: 0.2, values: values)
        }
        let count = 30
        for number in 1...count {
            let message = try message(world, number)
            while await world.provider.send(message) != .accepted { try await Task.sleep(for: .seconds(2)) }
            try await Task.sleep(for: .seconds(Double.random(in: 0...3)))
        }
        world.service.faults.disarm()
        try await Task.sleep(for: .seconds(300))
        let dropped = world.service.log.filter { if case .dropped = $0 { true } else { false } }.count
        let ids = world.shown.value.map(\.id)
        #expect(Set(ids).count == ids.count)
        // Of several that came while it was not connected the last alone is kept.
        #expect(ids.count >= count - dropped && ids.count <= count)
        await connection.shutdown()
        await world.stop()
    }

    @Test(
        "the address of a service is read, with a path of its own or the usual one",
        arguments: [
            ("ws://127.0.0.1:81/device", "ws://127.0.0.1:81/device"),
            ("WSS://push.example", "wss://push.example/device"),
            ("wss://push.example/a/b", "wss://push.example/a/b"), ("http://push.example", nil),
            ("ws://", nil),
            ("push.example", nil), ("ws://user@push.example", nil), ("ws://a b", nil),
        ] as [(String, String?)]
    )
    func addresses(_ text: String, _ read: String?) {
        #expect(PushServiceAddress(text)?.description == read)
    }
}
