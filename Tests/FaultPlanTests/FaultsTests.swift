import FaultPlans
import HTTPTypes
import SimulatedTransport
import Simulation
import Synchronization
import Testing
import Transport

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
        let second = try events(faults: .only([Firing(source: "scheduled 2 crash hub", decision: 0)])) {
            faults,
            _ in
            faults.at(.seconds(1), .crash("hub", for: .milliseconds(1)))
            faults.at(.seconds(2), .crash("hub", for: .milliseconds(1)))
            try await Task.sleep(for: .seconds(5))
        }
        #expect(second.filter { $0.detail == "crash hub" }.map(\.nanoseconds) == [2_000_000_000])
    }

    @Test func `a reset at a time and resets that chance decides are different faults`() throws {
        let events = try events { faults, _ in
            faults.at(.seconds(1), .reset("phone", "hub"))
            try await Task.sleep(for: .seconds(2))
        }
        #expect(events.map(\.detail) == ["scheduled 1 reset phone hub #0", "reset phone hub"])
    }

    @Test func `two faults of the same kind that come now and then come at different times`() throws {
        let events = try events { faults, _ in
            for _ in 0..<2 { faults.random(.crash("hub", for: .milliseconds(1)), perMinute: 6) }
            try await Task.sleep(for: .seconds(600))
        }
        let times = ["scheduled 1 crash hub", "scheduled 2 crash hub"].map { source in
            events.filter { $0.detail.hasPrefix("\(source) #") }.map(\.nanoseconds)
        }
        #expect(times.allSatisfy { $0.count > 30 })
        #expect(Set(times[0]).isDisjoint(with: times[1]))
    }

    @Test func `a machine dies silently when its power goes, and not when its process crashes`() throws {
        for (isSilent, fault) in [(true, Fault.powerOff("hub")), (false, Fault.crash("hub"))] {
            let code = Mutex<TransportError.Code?>(nil)
            _ = try events { faults, network in
                faults.at(.seconds(1), fault)
                try await Task.sleep(for: .seconds(2))
                let request = HTTPRequest(method: .get, scheme: "ws", authority: "hub", path: "/")
                do throws(TransportError) {
                    _ = try await network.host("phone").connect(
                        request,
                        limits: WebSocketLimits(),
                        timeout: .seconds(5)
                    )
                } catch { code.withLock { $0 = error.code } }
            }
            #expect(code.withLock { $0 } == (isSilent ? .timedOut : .refused))
        }
    }
}
