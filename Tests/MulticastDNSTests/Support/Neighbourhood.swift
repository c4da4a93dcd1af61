import Concurrency
import MulticastDNS
import Services
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// A phone that browses, and hubs that advertise, on one simulated network.
struct Neighbourhood: Sendable {
    let simulation: Simulation
    let network: SimulatedNetwork
    let phone: SimulatedHost
    /// One that is released ends.
    private let advertisements = Box([any ServiceAdvertisement]())

    static let type = ["_argusai._tcp"].compactMap { ServiceType($0) }[0]

    /// - Precondition: In a simulation.
    init(_ conditions: LinkConditions = LinkConditions(latency: .constant(.milliseconds(3)))) throws {
        try self.init(on: SimulatedNetwork(defaults: conditions))
    }

    /// - Precondition: In a simulation.
    init(on network: SimulatedNetwork) throws {
        simulation = try #require(Simulation.current)
        self.network = network
        phone = network.host("phone")
    }

    func subnet(_ name: String, _ prefix: String) throws -> SimulatedSubnet {
        network.subnet(name, try #require(IPSubnet(prefix)))
    }

    func browser(settings: LinkSettings = LinkSettings()) -> MulticastDNSBrowser {
        MulticastDNSBrowser(on: phone, settings: settings)
    }

    /// Begins to advertise on the node of a host, with which it ends.
    func advertise(
        _ offer: ServiceOffer,
        on name: String,
        hostName: String? = nil
    ) async throws -> any ServiceAdvertisement {
        let host = network.host(name)
        let advertisement = try await simulation.node(name).run {
            try MulticastDNSAdvertiser(on: host, hostName: hostName ?? name).advertise(offer)
        }
        advertisements.append(advertisement)
        return advertisement
    }

    /// Advertises, and waits until it is published.
    func publish(_ name: String, id: String = "one", on host: String) async throws -> any ServiceAdvertisement
    {
        let offer = ServiceOffer(name: name, type: Self.type, port: 8_000, attributes: ["id": id])
        let advertisement = try await advertise(offer, on: host)
        _ = await advertisement.publishedName()
        return advertisement
    }
}

extension ServiceAdvertisement {
    /// Waits until it is published; `nil` when it never is.
    func publishedName() async -> String? {
        for await state in states() {
            if case .published(let name) = state { return name }
        }
        return nil
    }
}

/// What one browse has listed last, read by a task of its own.
final class Watch: Sendable {
    private let last = CurrentValue(ServiceListing())
    private let all = Box([ServiceListing]())
    private let reader = OwnedTasks()

    init(_ browser: any ServiceBrowser, _ type: ServiceType = Neighbourhood.type) {
        let stream = browser.listings(of: type)
        reader.replace(with: [
            Task { [last, all] in
                for await listing in stream {
                    last.set(listing)
                    all.append(listing)
                }
            }
        ])
    }

    var services: [DiscoveredService] { last.value.services }
    var names: [String] { services.map(\.name) }
    var trouble: DiscoveryError? { last.value.trouble }
    /// All listings so far.
    var history: [[String]] { all.value.map { $0.services.map(\.name) } }

    /// Waits until the listing is as it must be, at most so long.
    func until(
        within limit: Duration = .seconds(30),
        _ isRight: @escaping @Sendable ([DiscoveredService]) -> Bool
    ) async -> Bool {
        await withDeadline(limit) { [last] in
            for await listing in last.values() where isRight(listing.services) { return true }
            return false
        } ?? false
    }

    func stop() async { await reader.cancelAndWait() }
}
