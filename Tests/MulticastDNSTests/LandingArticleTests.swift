import MulticastDNS
import Services
import SimulatedTransport
import SimulationTesting
import Testing

// What the landing article of MulticastDNS shows, word for word; a house rule compares them.

@Test(.simulated(seeds: 1...20))
func `a hub is found, and lost when it withdraws itself`() async throws {
    let network = SimulatedNetwork()
    let type = try #require(ServiceType("_http._tcp"))
    let advertiser = MulticastDNSAdvertiser(on: network.host("hub"), hostName: "hub")
    let offer = ServiceOffer(name: "Kitchen", type: type, port: 8080, attributes: ["id": "4711"])
    let hub = try advertiser.advertise(offer)
    let browser = MulticastDNSBrowser(on: network.host("phone"))
    var wasFound = false
    for await listing in browser.listings(of: type) {
        if let kitchen = listing.services.first(where: { $0.attributes["id"] == "4711" }), !wasFound {
            wasFound = true
            #expect(kitchen.ways.first?.authority == "10.0.0.1:8080")
            await hub.withdraw()
        } else if listing.services.isEmpty, wasFound {
            break
        }
    }
}
