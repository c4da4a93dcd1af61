import Simulation
import SimulationTesting
import Testing

private actor Ledger {
    var sum = 0
    func add(_ number: Int) -> Int {
        sum += number
        return sum
    }
}

@Suite("Children of async let", .simulated(seeds: 1...100))
struct AsyncLetTests {
    private func round(_ ledger: Ledger, _ number: Int) async -> Int {
        async let first = ledger.add(number)
        async let second = ledger.add(number)
        async let _ = ledger.add(0)
        return await first + second
    }

    @Test func `end inside the steps of actors, and nothing looks at them afterwards`() async throws {
        let ledger = Ledger()
        let total = await withTaskGroup(of: Int.self) { group in
            for number in 1...8 {
                group.addTask {
                    var last = 0
                    for _ in 0..<5 { last = await round(ledger, number) }
                    return last
                }
            }
            return await group.reduce(0, +)
        }
        #expect(total > 0)
        #expect(await ledger.sum == 2 * 5 * 36)
    }

    @Test func `of a node that crashes give nothing back and lock nothing`() async throws {
        let simulation = try #require(Simulation.current)
        let ledger = Ledger()
        let node = simulation.node("server")
        node.start { while !Task.isCancelled { _ = await round(ledger, 1) } }
        for _ in 0..<Int.random(in: 1..<40) { await Task.yield() }
        node.crash()
        let then = await ledger.sum
        for _ in 0..<20 { await Task.yield() }
        #expect(await ledger.sum == then)
    }
}
