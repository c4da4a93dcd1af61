import Conformance
import MulticastDNS
import ServiceBrowserConformance
import Services
import SimulatedTransport
import Simulation
import TestSupport
import Transport

/// Our browser and our advertisers, on a simulated network.
struct SimulatedBrowserHarness: ServiceBrowserHarness {
    struct Browser: ServiceBrowser {
        let world: Neighbourhood
        let base: MulticastDNSBrowser
        let hosts = Box(0)

        func listings(of type: ServiceType) -> AsyncStream<ServiceListing> { base.listings(of: type) }
        func reconfirm(_ service: DiscoveredService) async { await base.reconfirm(service) }
    }

    struct Neighbour: Sendable {
        let world: Neighbourhood
        let host: String
        let advertisement: any ServiceAdvertisement
    }

    let capabilities = Set(ServiceBrowserCapability.allCases)
    /// A network that is there; another one for each browser where it is `nil`.
    var network: SimulatedNetwork?
    /// What the links do, of a network that is made.
    var conditions = LinkConditions(latency: .constant(.milliseconds(3)))

    func makeBrowser() async throws -> Browser {
        let world = try network.map { try Neighbourhood(on: $0) } ?? Neighbourhood(conditions)
        return Browser(world: world, base: world.browser())
    }

    func publish(_ offer: ServiceOffer, near browser: Browser) async throws -> Neighbour {
        let host = "hub\(browser.hosts.add(1))"
        let advertisement = try await browser.world.advertise(offer, on: host)
        guard await advertisement.publishedName() == offer.name else {
            throw ConformanceFailure("a service gets its name", saw: "\(advertisement.state)")
        }
        return Neighbour(world: browser.world, host: host, advertisement: advertisement)
    }

    func withdraw(_ neighbour: Neighbour) async throws {
        // What has crashed says nothing any more.
        guard neighbour.world.simulation.node(neighbour.host).isAlive else { return }
        await neighbour.advertisement.withdraw()
    }

    func change(_ neighbour: Neighbour, to attributes: ServiceAttributes) async throws {
        try neighbour.advertisement.setAttributes(attributes)
    }

    func crash(_ neighbour: Neighbour) async throws {
        neighbour.world.simulation.node(neighbour.host).crash()
    }

    func move(_ neighbour: Neighbour) async throws {
        let network = neighbour.world.network
        network.host(neighbour.host).move(to: network.lan, interface: "eth0")
    }

    func sentCount(of browser: Browser) async throws -> Int {
        // To itself too, since it listens to the group.
        browser.world.network["phone", "phone"].forth.statistics.messages
    }
}
