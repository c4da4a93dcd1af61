import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Addresses of simulated hosts", .simulated(seeds: 1...20, stalls: .none))
struct AddressingTests {
    private let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))

    private func get(_ authority: String, from host: SimulatedHost, timeout: Duration = .seconds(5)) async
        -> TransportError?
    {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        return await failure { () throws(TransportError) in
            _ = try await host.send(request, body: .empty, timeout: timeout)
        }
    }

    @Test func `hosts get the addresses of their subnet in order, or those that are given`() throws {
        let home = network.subnet("home", try #require(IPSubnet("192.168.1.0/24")))
        let given = IPAddress(192, 168, 1, 1)
        let hosts = [
            network.host("a"), network.host("b"), network.host("c", on: home, addresses: [given]),
            network.host("d", on: home),
        ]
        #expect(
            hosts.map { $0.addresses.map(\.description) } == [
                ["10.0.0.1", "fd00::1"], ["10.0.0.2", "fd00::2"], ["192.168.1.1"], ["192.168.1.2"],
            ]
        )
    }

    @Test(
        "a server is reached by its name and by both of its addresses",
        arguments: ["gemini", "10.0.0.2", "[fd00::2]"]
    )
    func dialling(_ host: String) async throws {
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        for wildcard in ["0.0.0.0", "::"] {
            let listener = try await gemini.listen(
                ScriptedServer.echo(),
                at: SocketAddress(host: wildcard, port: 80)
            )
            let answered = await get(host, from: phone) == nil
            #expect(answered == (wildcard == "::" || !host.hasPrefix("[")))
            await listener.stop()
        }
    }

    @Test func `a listener at one address is not reached by another, and says its own`() async throws {
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        let listener = try await gemini.listen(
            ScriptedServer.echo(),
            at: SocketAddress(host: "gemini", port: 80)
        )
        #expect(listener.address == SocketAddress(host: "10.0.0.2", port: 80))
        #expect(await get("[fd00::2]", from: phone)?.code == .refused)
        #expect(await get("gemini", from: phone) == nil)
    }

    @Test func `an address that nobody has does not answer`() async throws {
        let phone = network.host("phone")
        let start = try #require(Simulation.current).now
        #expect(await get("10.0.0.99", from: phone, timeout: .seconds(40))?.code == .timedOut)
        #expect(try #require(Simulation.current).now - start == .seconds(40))
    }

    @Test func `a name that is moved leads to the other host, but for connections that are kept`()
        async throws
    {
        let phone = network.host("phone")
        for name in ["old", "new"] {
            _ = try await network.host(name).listen(
                ScriptedServer.answering { _, _ in .text(name) },
                at: SocketAddress(host: name, port: 80)
            )
        }
        func answer() async throws -> String {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "api.example.com", path: "/")
            let body = try await phone.send(request, body: .empty, timeout: .seconds(5)).body
            return String(decoding: try await body.collect(upTo: 10), as: UTF8.self)
        }
        #expect(await get("api.example.com", from: phone)?.code == .unreachable)
        network.names.records["api.example.com"] = network.host("old").addresses
        #expect(try await answer() == "old")
        network.names.records["api.example.com"] = network.host("new").addresses
        // A kept connection still leads to the old one.
        #expect(try await answer() == "old")
        try await Task.sleep(for: .seconds(20))
        #expect(try await answer() == "new")
        network.names.records["api.example.com"] = []
        try await Task.sleep(for: .seconds(20))
        #expect(await get("api.example.com", from: phone)?.code == .unreachable)
    }

    @Test func `names resolve after the time and with the faults of the name service`() async throws {
        let phone = network.host("phone")
        network.host("gemini", aliases: ["api.example.com"])
        network.names.latency = .constant(.milliseconds(300))
        let start = try #require(Simulation.current).now
        let found = try await phone.resolve(SocketAddress(host: "API.example.com", port: 443))
        #expect(found.map(\.description) == ["10.0.0.2:443", "[fd00::2]:443"])
        #expect(try #require(Simulation.current).now - start == .milliseconds(300))
        network.names.missing = ["gemini"]
        for name in ["gemini", "nobody"] {
            let error = await failure { () throws(TransportError) in
                _ = try await phone.resolve(SocketAddress(host: name, port: 1))
            }
            #expect(error?.code == .unreachable)
        }
        let resolving = Task {
            await failure { () throws(TransportError) in
                _ = try await phone.resolve(SocketAddress(host: "api.example.com", port: 1))
            }
        }
        try await Task.sleep(for: .milliseconds(1))
        resolving.cancel()
        #expect(await resolving.value?.code == .cancelled)
    }

    @Test func `programs see the interfaces of their host`() async throws {
        let home = network.subnet("home", try #require(IPSubnet("192.168.1.0/24")))
        let phone = network.host("phone")
        phone.attach("wlan0", to: home)
        let interfaces = try await phone.interfaces()
        #expect(interfaces.map(\.name) == ["lo", "eth0", "wlan0"])
        #expect(interfaces.map(\.index) == [1, 2, 3])
        #expect(interfaces.map(\.isLoopback) == [true, false, false])
        #expect(interfaces[2].broadcastAddresses == [IPAddress(192, 168, 1, 255)])
        #expect(interfaces[1].addresses.map(\.address.description) == ["10.0.0.1", "fd00::1"])
        #expect(interfaces[0].broadcastAddresses.isEmpty)
    }

    @Test func `a foreign address cannot be bound, an own one of any version can`() async throws {
        let phone = network.host("phone")
        network.host("gemini")
        for host in ["10.0.0.1", "fd00::1", "127.0.0.1", "::1", "0.0.0.0", "::", "phone"] {
            let socket = try await phone.bind(SocketAddress(host: host, port: 0))
            let wanted = host == "phone" ? "10.0.0.1" : host
            #expect(socket.localAddress.address == IPAddress(wanted))
        }
        for host in ["10.0.0.2", "gemini", "8.8.8.8"] {
            let error = await failure { () throws(TransportError) in
                _ = try await phone.bind(SocketAddress(host: host, port: 0))
            }
            #expect(error?.code == .addressUnavailable)
        }
    }
}
