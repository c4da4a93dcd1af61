import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Names, addresses and refusals", .simulated(seeds: 1...20, stalls: .none))
struct AddressTests {
    @Test(
        "real URLs reach the simulated host",
        arguments: [
            ("gemini", "wss"), ("GEMINI", "wss"), ("gemini:443", "ws"),
            ("generativelanguage.googleapis.com", "wss"),
        ]
    )
    func names(_ authority: String, _ scheme: String) async throws {
        let world = try await SimulatedWorld.start(.echo())
        try await world.connect(authority, scheme: scheme).ping(timeout: .seconds(1))
    }

    @Test func `nobody listening is refused after one round trip, an unknown name is unreachable`()
        async throws
    {
        let world = try await SimulatedWorld.start(.echo())
        let time = try await world.time { () async throws in
            let error = await failure { () throws(TransportError) in _ = try await world.send(to: "gemini:80")
            }
            #expect(error?.code == .refused)
        }
        #expect(time == .milliseconds(20))
        let error = await failure { () throws(TransportError) in _ = try await world.connect("gemni") }
        #expect(error?.code == .unreachable)
    }

    @Test(
        "an authority that cannot be understood is a protocol violation",
        arguments: ["", ":80", "gemini:", "gemini:0", "gemini:65536", "gemini:x", "[::1", "[::1]x"]
    )
    func authorities(_ authority: String) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let error = await failure { () throws(TransportError) in _ = try await world.send(to: authority) }
        #expect(error?.code == .protocolViolation)
    }

    @Test func `no error repeats a query`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        for authority in ["nobody", "gemini:1", "gemini:0"] {
            for error in [
                await failure(of: { () throws(TransportError) in _ = try await world.send(to: authority) }),
                await failure(of: { () throws(TransportError) in _ = try await world.connect(authority) }),
            ] {
                #expect(error?.description.contains("SECRET") == false)
            }
        }
    }

    @Test func `loopback addresses are reached from their own host alone`() async throws {
        let network = SimulatedNetwork()
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        let listener = try await gemini.listen(ScriptedServer.echo(), at: .loopback())
        let port = listener.address.port
        #expect(listener.address.host == "127.0.0.1")
        func code(_ host: SimulatedHost, _ name: String) async -> TransportError.Code? {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "\(name):\(port)", path: "/")
            return await failure { () throws(TransportError) in
                _ = try await host.send(request, body: .empty, timeout: .seconds(1))
            }?.code
        }
        #expect(await code(gemini, "127.0.0.1") == nil)
        #expect(await code(gemini, "localhost") == nil)
        #expect(await code(phone, "gemini") == .refused)
        #expect(await code(phone, "127.0.0.1") == .refused)
    }

    @Test func `an address is taken once, and only by its host`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        func code(_ address: SocketAddress) async -> TransportError.Code? {
            await failure { () throws(TransportError) in
                _ = try await world.gemini.listen(ScriptedServer.echo(), at: address)
            }?.code
        }
        #expect(await code(SocketAddress(host: "gemini", port: 443)) == .addressUnavailable)
        #expect(await code(SocketAddress(host: "phone", port: 80)) == .addressUnavailable)
        #expect(await code(SocketAddress(host: "gemini", port: 65_536)) == .addressUnavailable)
        #expect(await code(SocketAddress(host: "0.0.0.0", port: 80)) == nil)
        await world.listener.stop()
        #expect(await code(SocketAddress(host: "gemini", port: 443)) == nil)
    }

    @Test func `a listener serves no more connections than it may`() async throws {
        var timing = StreamTiming()
        timing.connectionsPerListener = 2
        let world = try await SimulatedWorld.start(.echo(), timing: timing)
        let first = try await world.connect()
        let second = try await world.connect()
        let error = await failure { () throws(TransportError) in _ = try await world.connect() }
        #expect(error?.code == .refused)
        await first.close(.normal)
        try await world.connect().ping(timeout: .seconds(1))
        try await second.ping(timeout: .seconds(1))
    }

    @Test func `a stopping listener cancels requests and waits for them`() async throws {
        let steps = Box([String]())
        let world = try await SimulatedWorld.start(
            .answering { _, _ in
                do { try await Task.sleep(for: .seconds(100)) } catch { steps.append("cancelled") }
                // A cancelled task cannot sleep; one of its own can.
                await Task { try? await Task.sleep(for: .seconds(3)) }.value
                steps.append("cleaned up")
                return .text("too late")
            }
        )
        let request = Task { () async -> TransportError.Code? in
            await failure { () throws(TransportError) in _ = try await world.send() }?.code
        }
        try await Task.sleep(for: .seconds(1))
        let time = try await world.time { await world.listener.stop() }
        #expect(time == .seconds(3))
        #expect(steps.value == ["cancelled", "cleaned up"])
        #expect(await request.value == .reset)
    }
}
