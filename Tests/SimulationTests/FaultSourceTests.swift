import Simulation
import SimulationTesting
import Testing

@Suite("Sources of faults")
struct FaultSourceTests {
    /// The answers to decisions of one source with these probabilities, and the report of the run.
    private func decisions(
        _ probabilities: [Double],
        seed: UInt64 = 1,
        faults: FaultPolicy = .drawn
    ) throws -> (fired: [Bool], report: SimulationReport) {
        var configuration = Simulation.Configuration()
        configuration.faults = faults
        let (fired, report) = try Simulation(seed: seed, configuration: configuration).runReporting {
            guard let source = Simulation.current?.faultSource("spark") else { return [Bool]() }
            return probabilities.map { source.fires(probability: $0) != nil }
        }
        return (fired, report)
    }

    @Test(arguments: [0.02, 0.1, 0.5, 0.9])
    func `a fault happens as often as its probability says`(_ probability: Double) throws {
        let count = 5000
        let fired = try decisions([Double](repeating: probability, count: count)).fired.count { $0 }
        let expected = Double(count) * probability
        let deviation = (expected * (1 - probability)).squareRoot()
        #expect(abs(Double(fired) - expected) < 4 * deviation)
    }

    @Test func `each fault is listed with the number of its decision, from 0`() throws {
        let (fired, report) = try decisions([0, 1, 0, 0, 1])
        #expect(fired == [false, true, false, false, true])
        #expect(report.firings == [1, 4].map { Firing(source: "spark", decision: $0) })
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `what is certain draws no chance, so that it shifts no other decision`(seed: UInt64) throws {
        let alone = try decisions([Double](repeating: 0.5, count: 40), seed: seed).fired
        let between = try decisions((0..<40).flatMap { _ in [1, 0, 0.5] }, seed: seed).fired
        #expect(stride(from: 2, to: 120, by: 3).map { between[$0] } == alone)
    }

    @Test func `a list of faults makes these happen and no others, whatever their probability`() throws {
        let listed: Set<Firing> = [
            Firing(source: "spark", decision: 1), Firing(source: "spark", decision: 3),
            Firing(source: "another", decision: 0),
        ]
        let (fired, report) = try decisions([1, 0, 1, 0.5], faults: .only(listed))
        #expect(fired == [false, true, false, true])
        #expect(report.mismatches == ["the fault another #0 did not happen"])
    }
}
