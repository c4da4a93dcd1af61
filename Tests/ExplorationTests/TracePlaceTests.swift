import Exploration
import Simulation
import Testing

@Suite("Places of tasks")
struct TracePlaceTests {
    @Test func `each task of a trace has the place where it was made`() throws {
        let first = #line + 2
        let program = Program(name: "two", summary: "two tasks from two places") {
            let one = Task { await Task.yield() }
            let two = Task { await Task.yield() }
            await one.value
            await two.value
        }
        let trace = try #require(program.run(Recipe(seed: 1), recording: .everything).trace)
        let places = trace.tasks.map(\.place)
        #expect(places.contains { $0.hasSuffix("TracePlaceTests.swift:\(first)") }, "\(places)")
        #expect(places.contains { $0.hasSuffix("TracePlaceTests.swift:\(first + 1)") }, "\(places)")
    }
}
