import FaultPlans
import SimulatedTransport
import Simulation
import Synchronization
import Testing

@Suite("Faults of a world")
struct FaultsTests {
    /// Runs a world with two hosts, and gives what the events of its run say.
    private func events(
        seed: UInt64 = 1,
        faults policy: FaultPolicy = .drawn,
        _ body: @escaping @Sendable (Faults, SimulatedNetwork) async throws -> Void
    ) throws -> [TraceEvent] {
        let events = Mutex<[TraceEvent]>([])
        var configuration = Simulation.Configuration()
        configuration.faults = policy
        configuration.onEvent = { event in events.withLock { $0.append(event) } }
        try Simulation(seed: seed, configuration: configuration).run {
            let network = SimulatedNetwork()
            for name in ["phone", "hub"] { _ = network.host(name) }
            try await body(Faults(network: network), network)
        }
        return events.withLock { $0 }.filter { $0.kind == "fault" }
    }

    @Test func `a fault happens at its time, and ends at its time`() throws {
        let seen = Mutex<[Bool]>([])
        _ = try events { faults, network in
            faults.at(.seconds(2), .partition("phone", "hub", for: .seconds(3)))
            for _ in 0..<7 {
                try await Task.sleep(for: .milliseconds(990))
                let isCut = network.link(from: "hub", to: "phone").isPartitioned
                seen.withLock { $0.append(isCut) }
            }
        }
        #expect(seen.withLock { $0 } == [false, false, true, true, true, false, false])
    }

    @Test
    func
        `of two cuts of a link that overlap, the last to end ends both, and so it is with a node that is down`()
        throws
    {
        let seen = Mutex<[String]>([])
        _ = try events { faults, network in
            let hub = try #require(Simulation.current).node("hub")
            faults.at(.seconds(1), .partition("phone", "hub", for: .seconds(4)))
            faults.at(.seconds(2), .oneWay("hub", "phone", for: .seconds(1)))
            faults.at(.seconds(1), .crash("hub", for: .seconds(3)))
            faults.at(.seconds(2), .powerOff("hub", for: .seconds(4)))
            for _ in 0..<7 {
                try await Task.sleep(for: .milliseconds(990))
                let link = network.link(from: "hub", to: "phone")
                seen.withLock {
                    $0.append("\(link.isPartitioned ? "cut" : "open") \(hub.isAlive ? "up" : "down")")
                }
            }
        }
        let both = "cut down"
        #expect(seen.withLock { $0 } == ["open up", both, both, both, both, "open down", "open up"])
    }

    @Test func `faults that come now and then come about as often as was asked, until all is healed`() throws
    {
        let crashes = try events { faults, _ in
            faults.random(.crash("hub", for: .seconds(1)), perMinute: 6)
            try await Task.sleep(for: .seconds(3600))
            Simulation.current?.heal()
            try await Task.sleep(for: .seconds(3600))
        }.filter { $0.detail == "crash hub" }
        #expect((250...450).contains(crashes.count), "\(crashes.count)")
        #expect(crashes.allSatisfy { $0.nanoseconds <= 3600 * 1_000_000_000 })
    }

    @Test func `each can be left out`() throws {
        let second = try events(faults: .only([Firing(source: "crash hub", decision: 1)])) { faults, _ in
            faults.at(.seconds(1), .crash("hub", for: .milliseconds(1)))
            faults.at(.seconds(2), .crash("hub", for: .milliseconds(1)))
            try await Task.sleep(for: .seconds(5))
        }
        #expect(second.filter { $0.detail == "crash hub" }.map(\.nanoseconds) == [2_000_000_000])
    }
}
