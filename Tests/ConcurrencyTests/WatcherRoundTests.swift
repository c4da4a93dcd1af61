import Concurrency
import Simulation
import TestSupport
import Testing

/// Readers that come, read some or nothing, and go, round after round.
@Suite("Watchers of a value, round after round")
struct WatcherRoundTests {
    /// Counts itself as long as something keeps it.
    private final class Counted: Sendable {
        let number: Int
        private let alive: Box<Int>

        init(_ number: Int, _ alive: Box<Int>) {
            self.number = number
            self.alive = alive
            alive.increment()
        }

        deinit { alive.add(-1) }
    }

    @Test func `readers that have gone keep nothing of what was shown, however they went`() throws {
        for seed: UInt64 in 1...40 { try Simulation(seed: seed).run { await Self.rounds() } }
    }

    private static func rounds() async {
        let alive = Box(0)
        let current = CurrentValue(Counted(0, alive))
        var number = 0
        for _ in 0..<3 {
            // Some never read, some read a few, some are cancelled while they wait.
            for _ in 0..<Int.random(in: 1...8) { _ = current.values(backlog: .random(in: 1...4)) }
            let readers = (0..<Int.random(in: 1...10)).map { _ in
                let (values, most) = (current.values(), Int.random(in: 0...6))
                return Task {
                    var seen: [Int] = []
                    guard most > 0 else { return seen }
                    for await value in values {
                        seen.append(value.number)
                        if seen.count == most { break }
                    }
                    return seen
                }
            }
            for _ in 0..<Int.random(in: 0...6) {
                number += 1
                current.set(Counted(number, alive))
                if Bool.random() { await Task.yield() }
            }
            for reader in readers.shuffled() {
                reader.cancel()
                let seen = await reader.value
                #expect(zip(seen, seen.dropFirst()).allSatisfy { $1 == $0 + 1 })
            }
            number += 1
            current.set(Counted(number, alive))
            #expect(alive.value == 1, "only the present value is kept")
        }
    }
}
