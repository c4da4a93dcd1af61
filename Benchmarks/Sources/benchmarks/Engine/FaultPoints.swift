import Probes
import Simulation

/// What `faultPoint(_:)` costs product code: outside a simulation, where it must be free, and inside.
///
/// The peer is the same loop with a call that the optimiser may not look into either.
enum FaultPoints {
    static let benchmark = Benchmark(
        name: "probes",
        summary: "what a fault point costs outside a simulation, beside a call that does nothing"
    ) { options in
        let count = 20_000_000
        var costs: [Double] = []
        var peers: [Double] = []
        var inside: [Double] = []
        for _ in 0..<(options.rounds ?? 7) {
            let (fired, outside) = Elapsed.of { (0..<count).count { _ in faultPoint("benchmark") } }
            let (zero, empty) = Elapsed.of { (0..<count).count { doNothing($0) } }
            precondition(fired == 0 && zero == 0)
            costs.append(outside.thread / Double(count) * 1e9)
            peers.append(empty.thread / Double(count) * 1e9)
            let (_, simulated) = try Elapsed.of {
                try Simulation(seed: 1).run { for _ in 0..<(count / 100) { _ = faultPoint("benchmark") } }
            }
            inside.append(simulated.thread / Double(count / 100) * 1e9)
        }
        return [
            Finding("probes.outside", "ns", Samples(costs)), Finding("probes.call", "ns", Samples(peers)),
            Finding("probes.inside", "ns", Samples(inside)),
        ]
    }

    @inline(never)
    @_optimize(none)
    private static func doNothing(_ number: Int) -> Bool { number < 0 }
}
