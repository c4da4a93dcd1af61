import BugZoo
import Exploration
import Simulation
import Testing

@Suite("Bug zoo")
struct ZooTests {
    private static let strategies: [Strategy] = [.portfolio, .sticky, .random, .pct, .pos, .reentrant]

    @Test func `the zoo has at least thirty programs, each with a name of its own`() {
        #expect(Zoo.all.count >= 30)
        #expect(Set(Zoo.all.map(\.name)).count == Zoo.all.count)
    }

    @Test(arguments: Zoo.all.map(\.name))
    func `each bug is found within a thousand seeds by at least one strategy`(_ name: String) throws {
        let program = try #require(Zoo.all.first { $0.name == name })
        let found = Self.strategies.contains { strategy in
            (1...1000 as ClosedRange<UInt64>).contains { seed in
                program.buggy.run(Recipe(seed: seed, strategy: strategy)).failure != nil
            }
        }
        #expect(found)
    }

    @Test(arguments: Zoo.all.map(\.name))
    func `no bug shows where nothing is left to chance and nothing goes wrong`(_ name: String) throws {
        let program = try #require(Zoo.all.first { $0.name == name })
        let run = program.buggy.run(Recipe(seed: 1, strategy: .fifo, firings: []))
        #expect(run.failure == nil, "\(run.failure?.message ?? "")")
    }

    @Test(arguments: Zoo.all.map(\.name))
    func `each fixed version survives, and leaves nothing behind`(_ name: String) throws {
        let program = try #require(Zoo.all.first { $0.name == name })
        for strategy in [Strategy.random, .portfolio] {
            for seed in 1...150 as ClosedRange<UInt64> {
                let run = program.fixed.run(Recipe(seed: seed, strategy: strategy))
                #expect(run.failure == nil, "seed \(seed), \(strategy): \(run.failure?.message ?? "")")
                if run.failure != nil { return }
            }
        }
    }

    @Test(arguments: Zoo.all.map(\.name))
    func `each program does the same again from the same seed`(_ name: String) throws {
        let program = try #require(Zoo.all.first { $0.name == name })
        for seed in 1...20 as ClosedRange<UInt64> {
            let recipe = Recipe(seed: seed, strategy: .portfolio)
            let (one, other) = (program.buggy.run(recipe), program.buggy.run(recipe))
            #expect(one.hash == other.hash)
            #expect(one.failure == other.failure)
        }
    }
}
