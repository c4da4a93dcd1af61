import Exploration
import Foundation
import Simulation
import Testing
import TraceReport

// What the landing article of TraceReport shows, word for word; a house rule compares them.

let greeting = Program(name: "greeting", summary: "two tasks") {
    async let hello: Void = Task.yield()
    async let world: Void = Task.yield()
    _ = await (hello, world)
}

@Test func `one run becomes a page and a trace for Perfetto, and two runs are compared`() throws {
    let run = greeting.run(Recipe(seed: 7), recording: .everything)
    let trace = try #require(run.trace)
    let page = RunPage(
        title: "greeting · seed 7",
        ending: .passed,
        repeatingLine: "greeting.run(Recipe(seed: 7))",
        trace: trace
    )
    #expect(try page.html().count > 1000)
    #expect(try PerfettoTrace(trace).json().count > 100)
    let again = try #require(greeting.run(Recipe(seed: 7), recording: .everything).trace)
    #expect(TraceDifference(trace, again) == nil)
}
