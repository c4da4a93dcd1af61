import MulticastDNS
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("Discovery on a simulated network", .simulated(seeds: 1...30))
struct DiscoveryTests {
    private let world: Neighbourhood

    init() throws { world = try Neighbourhood() }

    @Test(
        "ARGUS-043 a service of the wanted type is found in the local network, with address and port"
    )
    func found() async throws {
        let watch = Watch(world.browser())
        _ = try await world.publish("Hub", on: "hub")
        #expect(await watch.until { !$0.isEmpty })
        let service = try #require(watch.services.first)
        let address = try #require(world.network.host("hub").addresses.first)
        #expect(service.ways.first == ServiceWay(interface: "eth0", address: "\(address)", port: 8_000))
        #expect(service.ways.first?.authority == "\(address):8000")
        #expect(service.ways.count == 2)
        #expect(service.host == "hub.local" && service.attributes == ["id": "one"])
        await watch.stop()
    }

    @Test func `a service is found within a second of browsing, and its end known within two`() async throws {
        let hub = try await world.publish("Hub", on: "hub")
        let watch = Watch(world.browser())
        #expect(await watch.until(within: .seconds(2)) { !$0.isEmpty })
        await hub.withdraw()
        #expect(await watch.until(within: .seconds(3)) { $0.isEmpty })
        #expect(hub.state == .withdrawn)
        await watch.stop()
    }

    @Test(
        "a host that loses its power without a word is dropped ten seconds after it was asked about, or at its expiry"
    )
    func crashed() async throws {
        _ = try await world.publish("Asked", on: "one")
        _ = try await world.publish("Expiring", on: "other")
        let browser = world.browser()
        let watch = Watch(browser)
        #expect(await watch.until { $0.count == 2 })
        // No announcement is on its way any more.
        try await Task.sleep(for: .seconds(10))
        for name in ["one", "other"] { world.simulation.node(name).powerOff() }
        let asked = try #require(watch.services.first)
        await browser.reconfirm(asked)
        #expect(await watch.until(within: .seconds(15)) { $0.map(\.name) == ["Expiring"] })
        #expect(await watch.until(within: .seconds(130)) { $0.isEmpty })
        await watch.stop()
    }

    @Test("ARGUS-051 malformed datagrams are ignored, and browsing goes on")
    func malformed() async throws {
        let watch = Watch(world.browser())
        let stranger = try await Stranger(in: world.network)
        var whole = DNSMessage(isResponse: true)
        whole.answers = try stranger.records("Evil")
        let bytes = whole.encoded
        for count in 0..<bytes.count {
            var changed = bytes
            changed[count] = .random(in: 0 ... .max)
            try await stranger.say(Array(bytes.prefix(count)))
            try await stranger.say(changed)
            try await stranger.say((0..<count).map { _ in .random(in: 0 ... .max) })
        }
        try await stranger.say([])
        try await stranger.say([UInt8](repeating: 0xC0, count: 60_000))
        _ = try await world.publish("Hub", on: "hub")
        #expect(await watch.until { $0.contains { $0.name == "Hub" } })
        await watch.stop()
    }

    @Test("ARGUS-052 a browse that has ended finds no more, and one that begins again does")
    func restart() async throws {
        let browser = world.browser()
        let watch = Watch(browser)
        _ = try await world.publish("Hub", on: "hub")
        #expect(await watch.until { !$0.isEmpty })
        await watch.stop()
        let count = watch.history.count
        _ = try await world.publish("Other", on: "other")
        try await Task.sleep(for: .seconds(10))
        #expect(watch.history.count == count)
        let again = Watch(browser)
        #expect(await again.until { $0.map(\.name) == ["Hub", "Other"] })
        await again.stop()
    }

    @Test func `two services of one name get two names, at whatever times they come`() async throws {
        let one = try await world.advertise(offer("Hub"), on: "one")
        try await Task.sleep(for: .milliseconds(.random(in: 0...1_500)))
        let other = try await world.advertise(offer("Hub"), on: "other")
        let watch = Watch(world.browser())
        #expect(await watch.until { $0.count == 2 })
        try await Task.sleep(for: .seconds(10))
        #expect(watch.names == ["Hub", "Hub (2)"])
        #expect(Set(watch.services.map(\.host)).count == 2)
        let states = [one.state, other.state]
        #expect(states.contains(.published(name: "Hub")) && states.contains(.published(name: "Hub (2)")))
        await watch.stop()
    }

    @Test func `two hosts of one name get two names, and each service the addresses of its own`() async throws
    {
        let one = try await world.advertise(offer("One"), on: "one", hostName: "hub")
        try await Task.sleep(for: .milliseconds(.random(in: 0...1_500)))
        let other = try await world.advertise(offer("Other"), on: "other", hostName: "hub")
        let watch = Watch(world.browser())
        #expect(await watch.until { $0.count == 2 })
        try await Task.sleep(for: .seconds(10))
        #expect(Set(watch.services.map(\.host)) == ["hub.local", "hub-2.local"])
        for (service, host) in zip(watch.services, ["one", "other"]) {
            let addresses = world.network.host(host).addresses.map { "\($0)" }
            #expect(Set(service.ways.map(\.address)) == Set(addresses))
        }
        #expect([one.state, other.state] == [.published(name: "One"), .published(name: "Other")])
        await watch.stop()
    }

    private func offer(_ name: String) -> ServiceOffer {
        ServiceOffer(name: name, type: Neighbourhood.type, port: 8_000)
    }

    @Test func `of two services of one host the end of one leaves the other where it is`() async throws {
        let one = try await world.advertise(offer("One"), on: "hub")
        _ = try await world.advertise(offer("Other"), on: "hub")
        let watch = Watch(world.browser())
        #expect(await watch.until { $0.count == 2 })
        await one.withdraw()
        try await Task.sleep(for: .seconds(10))
        #expect(watch.names == ["Other"])
        #expect(watch.services.first?.ways.count == 2)
        await watch.stop()
    }

    @Test func `two of one name that could not hear each other get two names when they can`() async throws {
        world.network.host("one")
        world.network.host("other")
        world.network.partition(["one"], ["other"])
        let one = try await world.publish("Hub", id: "one", on: "one")
        let other = try await world.publish("Hub", id: "two", on: "other")
        #expect([one.state, other.state] == [.published(name: "Hub"), .published(name: "Hub")])
        world.network.heal()
        // Whoever asks lets them hear each other.
        let watch = Watch(world.browser())
        try await Task.sleep(for: .seconds(60))
        #expect(watch.names == ["Hub", "Hub (2)"])
        #expect(one.state != other.state)
        await watch.stop()
    }

    @Test func `a host on two networks is found on both, and each answer has the addresses of its network`()
        async throws
    {
        let wifi = try world.subnet("wifi", "192.168.7.0/24")
        world.phone.attach("wlan0", to: wifi)
        world.network.host("hub").attach("wlan0", to: wifi)
        _ = try await world.publish("Hub", on: "hub")
        let watch = Watch(world.browser())
        #expect(await watch.until { Set($0.flatMap(\.ways).map(\.interface)) == ["eth0", "wlan0"] })
        #expect(watch.services.count == 1)
        let wrong = watch.services[0].ways.filter {
            $0.address.hasPrefix("192.168.7.") != ($0.interface == "wlan0")
        }
        #expect(wrong == [])
        world.phone.detach("wlan0")
        #expect(await watch.until { Set($0.flatMap(\.ways).map(\.interface)) == ["eth0"] })
        await watch.stop()
    }

    @Test func `a phone without a network says so, and finds services when it is back`() async throws {
        let monitor = SimulatedNetworkMonitor(of: world.phone)
        world.phone.setAirplaneMode(true)
        let browser = MulticastDNSBrowser(on: world.phone, monitor: monitor)
        let watch = Watch(browser)
        try await Task.sleep(for: .seconds(5))
        #expect(watch.trouble == .noInterface)
        _ = try await world.publish("Hub", on: "hub")
        world.phone.setAirplaneMode(false)
        #expect(await watch.until { !$0.isEmpty })
        #expect(watch.trouble == nil)
        world.phone.setAirplaneMode(true)
        #expect(await watch.until { $0.isEmpty })
        await watch.stop()
    }

    @Test func `when the network is reported to be back, it is asked at once`() async throws {
        let monitor = SimulatedNetworkMonitor()
        let rarely = LinkSettings(lookInterval: .seconds(7_200))
        let watch = Watch(MulticastDNSBrowser(on: world.phone, monitor: monitor, settings: rarely))
        world.network.host("hub")
        world.network.partition(["phone"], ["hub"])
        _ = try await world.publish("Hub", on: "hub")
        // Longer than the hub announces itself; the next question would be some minutes away.
        try await Task.sleep(for: .seconds(1_100))
        world.network.heal()
        try await Task.sleep(for: .seconds(5))
        #expect(watch.names.isEmpty)
        monitor.report(isConnected: false)
        monitor.report(isConnected: true)
        #expect(await watch.until(within: .seconds(3)) { $0.map(\.name) == ["Hub"] })
        await watch.stop()
    }

    @Test func `a port that another program keeps for itself is reported`() async throws {
        let other = try await world.phone.bind(SocketAddress(host: "::", port: MulticastGroup.port))
        let watch = Watch(world.browser())
        try await Task.sleep(for: .seconds(5))
        guard case .portUnavailable(MulticastGroup.port, _) = watch.trouble else {
            Issue.record("no port, and yet \(String(describing: watch.trouble))")
            return
        }
        await other.close()
        _ = try await world.publish("Hub", on: "hub")
        #expect(await watch.until { !$0.isEmpty })
        await watch.stop()
    }

    @Test func `a sender outside the network is not believed`() async throws {
        let far = try world.subnet("far", "192.168.7.0/24")
        let watch = Watch(world.browser())
        try await Task.sleep(for: .seconds(1))
        let stranger = world.network.host("stranger", on: far)
        let socket = try await stranger.bind(SocketAddress(host: "0.0.0.0", port: MulticastGroup.port))
        let near = try await Stranger("near", in: world.network)
        var message = DNSMessage(isResponse: true)
        message.answers = try near.records("Hub")
        let phone = try #require(world.phone.addresses.first)
        try await socket.send(message.encoded, to: Endpoint(phone, port: MulticastGroup.port))
        try await Task.sleep(for: .seconds(1))
        #expect(watch.names.isEmpty)
        // The same from the network itself, to this host alone.
        try await near.say(message.encoded, to: Endpoint(phone, port: MulticastGroup.port))
        #expect(await watch.until { !$0.isEmpty })
        await watch.stop()
    }

    @Test func `an offer that cannot be advertised is refused`() {
        let advertiser = MulticastDNSAdvertiser(on: world.phone, hostName: "phone")
        let long = String(repeating: "x", count: 250)
        let offers = [
            ServiceOffer(name: "", type: Neighbourhood.type, port: 1),
            ServiceOffer(name: String(repeating: "ü", count: 32), type: Neighbourhood.type, port: 1),
            ServiceOffer(name: "a\u{7}", type: Neighbourhood.type, port: 1),
            ServiceOffer(name: "a", type: Neighbourhood.type, port: 0),
            ServiceOffer(name: "a", type: Neighbourhood.type, port: 65_536),
            ServiceOffer(name: "a", type: Neighbourhood.type, port: 1, attributes: ["abcdef": long]),
            ServiceOffer(
                name: "a",
                type: Neighbourhood.type,
                port: 1,
                attributes: ["a": long, "b": long, "c": long, "d": long, "e": long, "f": long]
            ),
        ]
        for offer in offers {
            #expect(throws: DiscoveryError.self) { _ = try advertiser.advertise(offer) }
        }
    }
}
