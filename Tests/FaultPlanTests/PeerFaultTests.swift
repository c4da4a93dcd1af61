import FaultPlans
import Probes
import Simulation
import Testing

@Suite("Plans of faults: services")
struct PeerFaultTests {
    private let known = [
        PeerPoint("http.429", values: ["retryAfter": 0...60]), PeerPoint("live.drop"),
    ]

    /// Passes the points of a service, and returns what happened.
    private func run(_ text: String, _ policy: FaultPolicy = .drawn) throws -> [String] {
        let plan = try FaultPlan(text: text)
        var configuration = Simulation.Configuration()
        configuration.faults = policy
        return try Simulation(seed: 4, configuration: configuration).run {
            try plan.apply(peers: known)
            return (0..<20).flatMap { number -> [String] in
                var seen: [String] = []
                if faultPoint("http.429") {
                    seen.append("\(number): \(faultValue("retryAfter", of: "http.429", default: 1))")
                }
                if faultPoint("live.drop") { seen.append("\(number): drop") }
                return seen
            }
        }
    }

    private let text = """
        version: 1
        peers:
          - { point: http.429, with: { retryAfter: 9 }, skip: 2, atMost: 2 }
          - { point: live.drop, probability: 0.2, atMost: 1 }
        """

    @Test func `a plan arms the fault points of services, with their numbers`() throws {
        let seen = try run(text)
        #expect(seen.filter { !$0.hasSuffix("drop") } == ["2: 9.0", "3: 9.0"])
        #expect(seen.count == 3)
        #expect(try FaultPlan(text: FaultPlan(text: text).text) == FaultPlan(text: text))
    }

    @Test func `what fired is left out by name`() throws {
        #expect(try run(text, .none) == [])
        #expect(try run(text, .only([Firing(source: "point http.429", decision: 3)])) == ["3: 9.0"])
    }

    @Test(
        arguments: [
            ("{ point: http.430 }", "http.430"), ("{ point: live.drop, with: { seconds: 1 } }", "seconds"),
            ("{ point: http.429, with: { retryAfter: 61 } }", "60"),
            ("{ point: live.drop, probability: 2 }", "probability"),
            ("{ point: live.drop, skip: -1 }", "skip"),
            ("{ point: live.drop, often: 2 }", "often"),
        ]
    )
    func `what the services do not have is refused`(_ peer: String, _ word: String) {
        #expect {
            try run("version: 1\npeers: [\(peer)]")
        } throws: { error in
            "\(error)".contains(word)
        }
    }

    @Test func `a swarm arms some of the points`() {
        var counts: [Int] = []
        var numbers: [Double?] = []
        for seed in 0..<40 {
            var entropy = EntropyStream(seed: UInt64(seed), label: "plan")
            let plan = FaultPlan.drawn(over: FaultSpace(peers: known, seconds: 5), from: &entropy)
            #expect(plan.peers.allSatisfy { peer in known.contains { $0.name == peer.point } })
            counts.append(plan.peers.count)
            numbers += plan.peers.filter { $0.point == "http.429" }.map { $0.values?["retryAfter"] }
        }
        #expect(Set(counts) == [0, 1, 2])
        // Some are as the service has them, and the others anything that it takes.
        #expect(numbers.contains(nil) && Set(numbers).count > 4)
        #expect(numbers.compactMap(\.self).allSatisfy { (0...60).contains($0) })
    }
}
