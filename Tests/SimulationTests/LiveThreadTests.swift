import Foundation
import Simulation
import Testing

@Suite(
    "Threads that spin",
    .enabled(if: Threads.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct LiveThreadTests {
    @Test func `a thread that spins with sched_yield lets others do what it waits for`() throws {
        let ends = try Threads.outcomes(seeds: 1...50) {
            let state = Counted()
            let spinning = PosixThread {
                while state.value == 0 { sched_yield() }
                return state.value
            }
            let other = PosixThread {
                state.value = 7
                return 0
            }
            return other.join() + spinning.join()
        }
        #expect(ends == [7: 50])
    }
}
