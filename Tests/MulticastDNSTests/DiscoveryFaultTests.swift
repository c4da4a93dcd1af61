import MulticastDNS
import Services
import Simulation
import SimulationTesting
import Testing

/// One property, by its name.
enum DiscoveryProperty: String, CaseIterable, Sendable {
    case listsWhatIsThere, forgetsWhatExpires, forgetsWhatIsDoubted, survivesFlood, survivesPoison,
        findsInSpiteOfLoss

    func holds(_ maker: DiscoveryProperties.Maker) async throws -> Bool {
        switch self {
        case .listsWhatIsThere: try await DiscoveryProperties.listsWhatIsThere(maker)
        case .forgetsWhatExpires: try await DiscoveryProperties.forgetsWhatExpires(maker)
        case .forgetsWhatIsDoubted: try await DiscoveryProperties.forgetsWhatIsDoubted(maker)
        case .survivesFlood: try await DiscoveryProperties.survivesFlood(of: 400, maker)
        case .survivesPoison: try await DiscoveryProperties.survivesPoison(maker)
        case .findsInSpiteOfLoss: try await DiscoveryProperties.findsInSpiteOfLoss(maker)
        }
    }
}

@Suite("Discovery under faults", .simulated(seeds: 1...40))
struct DiscoveryFaultTests {
    @Test(
        "every property of discovery holds of the browser of multicast DNS",
        arguments: DiscoveryProperty.allCases
    )
    func holds(_ property: DiscoveryProperty) async throws {
        #expect(try await property.holds { $0.browser() })
    }
}

@Suite("Discovery under floods", .simulated(seeds: 1...1))
struct DiscoveryFloodTests {
    @Test func `ten thousand invented instances do not hide a service that is there`() async throws {
        #expect(try await DiscoveryProperties.survivesFlood(of: 10_000) { $0.browser() })
    }
}

@Suite("Canaries of discovery")
struct DiscoveryCanaryTests {
    @Test("every property catches a naive browser over some seeds", arguments: DiscoveryProperty.allCases)
    func catches(_ property: DiscoveryProperty) throws {
        let seeds: ClosedRange<UInt64> = property == .survivesFlood ? 1...1 : 1...5
        let caught = try seeds.count { seed in
            try !Simulation(seed: seed).run { try await property.holds { NaiveBrowser(on: $0.phone) } }
        }
        #expect(caught > 0)
    }

    @Test(
        "the properties that a naive browser can have hold without faults",
        arguments: 1...5 as ClosedRange<UInt64>
    )
    func plain(_ seed: UInt64) throws {
        let isFound = try Simulation(seed: seed).run {
            let world = try Neighbourhood()
            _ = try await world.publish("Hub", on: "hub")
            let watch = Watch(NaiveBrowser(on: world.phone))
            return await watch.until { $0.map(\.name) == ["Hub"] }
        }
        #expect(isFound)
    }
}
