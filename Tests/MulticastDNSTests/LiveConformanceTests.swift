import Conformance
import LiveTransport
import MulticastDNS
import ServiceBrowserConformance
import Services
import TestSupport
import Testing
import Transport

/// Our browser and our advertisers over real sockets, on the loopback of this machine.
struct LiveBrowserHarness: ServiceBrowserHarness {
    struct Browser: ServiceBrowser {
        let base: MulticastDNSBrowser
        let transport: LiveTransport

        func listings(of type: ServiceType) -> AsyncStream<ServiceListing> { base.listings(of: type) }
        func reconfirm(_ service: DiscoveredService) async { await base.reconfirm(service) }
    }

    typealias Neighbour = Box<(any ServiceAdvertisement)?>

    let capabilities: Set<ServiceBrowserCapability> = [.changes, .crash]
    private static let settings = LinkSettings(interfaces: ["lo"])

    func makeBrowser() async throws -> Browser {
        let transport = try LiveTransport()
        return Browser(
            base: MulticastDNSBrowser(on: transport, settings: Self.settings),
            transport: transport
        )
    }

    func publish(_ offer: ServiceOffer, near browser: Browser) async throws -> Neighbour {
        let host = "test-\(UInt32.random(in: 0 ... .max))"
        let advertiser = MulticastDNSAdvertiser(
            on: browser.transport,
            hostName: host,
            settings: Self.settings
        )
        let advertisement = try advertiser.advertise(offer)
        guard await advertisement.publishedName() == offer.name else {
            throw ConformanceFailure("a service gets its name", saw: "\(advertisement.state)")
        }
        return Box(advertisement)
    }

    func withdraw(_ neighbour: Neighbour) async throws { await neighbour.value?.withdraw() }

    func change(_ neighbour: Neighbour, to attributes: ServiceAttributes) async throws {
        try neighbour.value?.setAttributes(attributes)
    }

    /// One that is released says nothing.
    func crash(_ neighbour: Neighbour) async throws { neighbour.set(nil) }

    func takeDown(_ browser: Browser) async { await browser.transport.shutdown() }
}

@Suite("Browser conformance over real sockets", .timeLimit(.minutes(5)))
struct LiveBrowserConformanceTests {
    @Test(
        "the browser of multicast DNS meets every requirement over real sockets",
        arguments: ServiceBrowserConformance.cases
    )
    func live(_ test: ServiceBrowserConformance.Case) async throws {
        let outcome = try await test.run(with: LiveBrowserHarness())
        let isPossible = test.needs.isSubset(of: LiveBrowserHarness().capabilityNames)
        #expect((outcome == .passed) == isPossible, "\(outcome)")
    }
}
