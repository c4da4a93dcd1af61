import Simulation
import Testing
import TraceReport

@Suite("Difference of traces")
struct TraceDifferenceTests {
    @Test func `equal traces do not differ`() {
        #expect(TraceDifference(.sample(), .sample()) == nil)
    }

    @Test func `names and places of tasks are not compared`() {
        var renamed = Trace.sample()
        renamed.tasks[0].name = "other"
        renamed.tasks[0].place = "elsewhere.swift:9"
        #expect(TraceDifference(.sample(), renamed) == nil)
    }

    @Test func `the first step that differs is named, with who ran in each`() throws {
        var other = Trace.sample()
        other.steps[2].task = 1
        let difference = try #require(TraceDifference(.sample(), other))
        #expect(difference.step == 3)
        #expect("\(difference.first)".contains("task 2 “worker”, spawned at work() at work.swift:7 on phone"))
        #expect("\(difference.second)".contains("task 1"))
        #expect(difference.before.count == 2)
    }

    @Test func `an event that differs counts before a later step`() throws {
        var other = Trace.sample()
        other.events[0].detail = "phone server GET 11 1000"
        other.steps[3].node = 0
        let difference = try #require(TraceDifference(.sample(), other))
        #expect(difference.step == 2)
        #expect("\(difference.second)".contains("GET 11"))
        #expect(difference.nanoseconds == 2000)
    }

    @Test(arguments: [false, true])
    func `a trace that ends earlier differs where it ends`(_ firstIsShort: Bool) throws {
        var short = Trace.sample()
        short.steps.removeLast()
        let long = Trace.sample()
        let difference = try #require(
            firstIsShort ? TraceDifference(short, long) : TraceDifference(long, short)
        )
        #expect(difference.step == 4)
        #expect((firstIsShort ? difference.first : difference.second) == .nothing)
    }
}
