import MulticastDNS
import Services
import SimulatedTransport
import Simulation
import TestSupport
import Transport

/// What must hold of any browser, whatever happens on the network: each function says whether it does.
enum DiscoveryProperties {
    /// Makes a browser on the phone of a world.
    typealias Maker = @Sendable (Neighbourhood) -> any ServiceBrowser

    /// After services have come, gone and crashed on a bad network, and then quiet, those are listed that are there.
    ///
    /// Whoever cannot reach a listed service asks about it, as an app does.
    static func listsWhatIsThere(_ maker: Maker) async throws -> Bool {
        var conditions = LinkConditions(latency: .uniform(.milliseconds(1)...(.milliseconds(40))), loss: 0.2)
        conditions.duplication = 0.1
        conditions.reordering = 0.1
        conditions.reorderingDelay = .seconds(2)
        let world = try Neighbourhood(conditions)
        let browser = maker(world)
        let watch = Watch(browser)
        var alive: Set<String> = []
        var advertisements: [String: any ServiceAdvertisement] = [:]
        for step in 0..<12 {
            let host = "hub\(Int.random(in: 0..<5))"
            switch Int.random(in: 0..<4) {
            case 0...1 where !alive.contains(host):
                if !world.simulation.node(host).isAlive { world.simulation.node(host).restart() }
                let offer = ServiceOffer(
                    name: "Service of \(host)",
                    type: Neighbourhood.type,
                    port: 8_000 + step
                )
                advertisements[host] = try await world.advertise(offer, on: host)
                alive.insert(host)
            case 2 where alive.contains(host):
                await advertisements[host]?.withdraw()
                alive.remove(host)
            case 3 where alive.contains(host):
                world.simulation.node(host).crash()
                alive.remove(host)
            default: break
            }
            try await Task.sleep(for: .milliseconds(.random(in: 0...5_000)))
        }
        for host in world.network.hostNames { world.network["phone", host].conditions = LinkConditions() }
        try await Task.sleep(for: .seconds(1))
        for service in watch.services
        where !alive.contains(String(service.name.dropFirst("Service of ".count))) {
            await browser.reconfirm(service)
        }
        // An hour is the longest gap between questions; here it is as long as the first of them.
        try await Task.sleep(for: .seconds(300))
        let expected = alive.map { "Service of \($0)" }.sorted()
        let result = watch.names == expected
        await watch.stop()
        return result
    }

    /// A service whose host loses its power leaves when what is known of it expires.
    static func forgetsWhatExpires(_ maker: Maker) async throws -> Bool {
        let world = try Neighbourhood()
        let watch = Watch(maker(world))
        _ = try await world.publish("Hub", on: "hub")
        guard await watch.until({ !$0.isEmpty }) else { return false }
        world.simulation.node("hub").powerOff()
        let result = await watch.until(within: .seconds(125)) { $0.isEmpty }
        await watch.stop()
        return result
    }

    /// Asked about, it leaves within a quarter of a minute.
    static func forgetsWhatIsDoubted(_ maker: Maker) async throws -> Bool {
        let world = try Neighbourhood()
        let browser = maker(world)
        let watch = Watch(browser)
        _ = try await world.publish("Hub", on: "hub")
        guard await watch.until({ !$0.isEmpty }), let service = watch.services.first else { return false }
        // No announcement is on its way any more.
        try await Task.sleep(for: .seconds(10))
        world.simulation.node("hub").powerOff()
        await browser.reconfirm(service)
        let result = await watch.until(within: .seconds(15)) { $0.isEmpty }
        await watch.stop()
        return result
    }

    /// Invented instances, in great number, do not hide a service that is there, and no more than so many are listed.
    static func survivesFlood(of count: Int, _ maker: Maker) async throws -> Bool {
        let world = try Neighbourhood(LinkConditions(latency: .constant(.milliseconds(1))))
        let watch = Watch(maker(world))
        _ = try await world.publish("Hub", on: "hub")
        guard await watch.until({ !$0.isEmpty }) else { return false }
        let stranger = try await Stranger(in: world.network)
        for number in 0..<count {
            try await stranger.say(try stranger.records("Flood \(number)", host: "flood\(number)"))
            // So that the receive buffer loses none.
            if number % 50 == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        try await Task.sleep(for: .seconds(2))
        let result = watch.services.count <= 256 && watch.names.contains("Hub")
        await watch.stop()
        return result
    }

    /// What a stranger takes back in the name of others is listed again.
    static func survivesPoison(_ maker: Maker) async throws -> Bool {
        let world = try Neighbourhood()
        let watch = Watch(maker(world))
        _ = try await world.publish("Hub", on: "hub")
        guard await watch.until({ !$0.isEmpty }) else { return false }
        let own = watch.services
        let stranger = try await Stranger(in: world.network)
        guard let address = world.network.host("hub").addresses.first else { return false }
        try await stranger.say(
            try stranger.records("Hub", host: "hub", address: address, port: 8_000).map { record in
                ResourceRecord(record.name, record.data, timeToLive: 0, flushes: record.flushes)
            }
        )
        try await Task.sleep(for: .seconds(5))
        var isBack = watch.services.map(\.ways) == own.map(\.ways)
        // Another host and address under its name: the owner claims both again.
        try await stranger.say(try stranger.records("Hub", host: "hub"))
        try await Task.sleep(for: .seconds(15))
        isBack = isBack && watch.services.map(\.ways) == own.map(\.ways)
        await watch.stop()
        return isBack
    }

    /// Where the first answers are lost, a service is found within ten seconds nevertheless.
    static func findsInSpiteOfLoss(_ maker: Maker) async throws -> Bool {
        let world = try Neighbourhood()
        _ = try await world.publish("Hub", on: "hub")
        try await Task.sleep(for: .seconds(10))
        world.network["phone", "hub"].isPartitioned = true
        let watch = Watch(maker(world))
        try await Task.sleep(for: .milliseconds(500))
        world.network.heal()
        let result = await watch.until(within: .seconds(10)) { $0.map(\.name) == ["Hub"] }
        await watch.stop()
        return result
    }
}
