import Dispatch
import Exploration
import Glibc
import Simulation
import Testing

/// In processes where no other test runs, since a fork has one thread.
@Suite("Values of seeds", .timeLimit(.minutes(10)))
struct LiveSeedSweepTests {
    @Test(arguments: [1, 3])
    func `values come once for each seed, in the order of the seeds`(jobs: Int) async throws {
        await #expect(processExitsWith: .success) { [jobs] in
            let sweep = SeedSweep(seeds: 5...300, jobs: jobs, value: { $0 * 2 }, ended: { _, _ in 0 })
            var seeds: [UInt64] = []
            try sweep.run { seed, value in
                #expect(value == seed * 2)
                seeds.append(seed)
                return true
            }
            #expect(seeds == Array(5...300))
        }
    }

    @Test func `a sweep ends with the value that its caller wants to be the last`() async throws {
        await #expect(processExitsWith: .success) {
            let sweep = SeedSweep(seeds: 1...UInt64.max, jobs: 2, value: { $0 }, ended: { seed, _ in seed })
            var last: UInt64 = 0
            try sweep.run { seed, _ in
                last = seed
                return seed < 40
            }
            #expect(last == 40)
        }
    }

    @Test func `a run that ends its worker costs its own seed alone, and says how it ended`() async throws {
        await #expect(processExitsWith: .success) {
            let sweep = SeedSweep(
                seeds: 1...30,
                jobs: 2,
                value: { seed in
                    let run: Void? = try? Simulation(seed: seed).run {
                        await Task.yield()
                        switch seed {
                        case 7: exit(0)
                        case 8: preconditionFailure("broken")
                        case 9: kill(getpid(), SIGKILL)
                        case 10: DispatchSemaphore(value: 0).wait()
                        default: break
                        }
                    }
                    return run == nil ? "failed" : "passed"
                },
                ended: { "\($1)" }
            )
            var values: [UInt64: String] = [:]
            try sweep.run { seed, value in
                values[seed] = value
                return true
            }
            #expect(values.count == 30)
            #expect(values.filter { $0.value == "passed" }.count == 26)
            #expect(values[7]?.contains("ended its process") == true)
            #expect(values[8]?.contains("crashed") == true)
            #expect(values[9]?.contains("ended from outside") == true)
            #expect(values[10]?.contains("blocked by a wait that cannot end") == true)
        }
    }
}
