import Exploration
import Simulation
import Synchronization
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

    @Test func `a fault and the failure have the lines at which they came about`() throws {
        let first = #line + 3
        let program = Program(name: "faulty", summary: "") {
            func fails() -> Bool {
                Simulation.current?.faultSource("bad luck").fires(probability: 1) != nil
            }
            await Task.yield()
            if fails() { try throwing() }
        }
        let recipe = Recipe(seed: 1, firings: [Firing(source: "bad luck", decision: 0)])
        let trace = try #require(program.run(recipe, recording: .everything).trace)
        let marks = trace.markedPlaces
        #expect(marks.map(\.fault?.source) == ["bad luck", nil])
        #expect(marks.first?.line.place.line == first)
        #expect(marks.first?.callers.first?.place.line == first + 3)
        #expect(marks.last?.line.source == "throw Bad()")
        #expect(marks.allSatisfy { $0.step == trace.steps.count })
    }

    @Test func `a step that goes on in a function of a library is named by a line of the program`() throws {
        let program = Program(name: "latched", summary: "") {
            let latch = Latch()
            let one = Task { try await latch.wait() }
            let two = Task { try await latch.wait() }
            try await Task.sleep(for: .milliseconds(1))
            latch.open()
            _ = await one.result
            _ = await two.result
        }
        let trace = try #require(program.run(Recipe(seed: 1), recording: .everything).trace)
        for step in trace.steps.dropFirst() where step.task > 0 {
            #expect(
                trace.places[step.place].file == #filePath,
                "\(trace.stacks[step.stack].map { trace.places[$0] })"
            )
        }
    }

    @Test func `the failure is the error that ends the run, not one that was handled`() throws {
        let program = Program(name: "handled", summary: "") {
            do { try throwing() } catch {}
            throw Bad()
        }
        let expected = #line - 2
        let trace = try #require(program.run(Recipe(seed: 1), recording: .everything).trace)
        #expect(trace.markedPlaces.map(\.line.place.line) == [expected])
    }

    @Test func `what ran before on one actor belongs to the causal history`() throws {
        let program = Program(name: "shared", summary: "") {
            let counter = SharedCounter()
            let one = Task { await counter.add() }
            let two = Task { await counter.add() }
            await two.value
            await one.value
        }
        let trace = try #require(program.run(Recipe(seed: 1, strategy: .fifo), recording: .everything).trace)
        let added = trace.steps.indices.filter { trace.steps[$0].actor > 0 }
        try #require(added.count == 2)
        #expect(trace.steps[added[0]].task != trace.steps[added[1]].task)
        #expect(trace.causes(of: added[1] + 1).contains(added[0] + 1))
    }

    @Test func `steps that were chosen against the rule of their strategy are known`() throws {
        let program = Program(name: "switching", summary: "") {
            let other = Task { for _ in 0..<3 { await Task.yield() } }
            for _ in 0..<3 { await Task.yield() }
            await other.value
        }
        let steady = try #require(
            program.run(Recipe(seed: 1, preemptions: []), recording: .everything).trace
        )
        #expect(steady.steps.filter(\.preempts).isEmpty)
        let one = Recipe(
            seed: 1,
            preemptions: [Preemption(after: .number(1), steps: 3, to: .task(.number(2)))]
        )
        let switched = try #require(program.run(one, recording: .everything).trace)
        let preempting = switched.steps.filter(\.preempts)
        #expect(preempting.map(\.task) == [2])
    }
}

private struct Bad: Error {}

private func throwing() throws {
    throw Bad()
}

private actor SharedCounter {
    private var value = 0
    func add() { value += 1 }
}

/// Lets in one who waits, or who comes later.
private final class Latch: Sendable {
    /// A continuation as a number, which is safe to keep as long as it is resumed once.
    private let state = Mutex<(isOpen: Bool, waiting: [UInt])>((false, []))

    func wait() async throws {
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation {
                (continuation: UnsafeContinuation<Void, any Error>) in
                let number = unsafe unsafeBitCast(continuation, to: UInt.self)
                state.withLock { $0.waiting.append(number) }
            }
        } onCancel: {
        }
    }

    func open() {
        for number in state.withLock(\.waiting) {
            unsafe unsafeBitCast(number, to: UnsafeContinuation<Void, any Error>.self).resume()
        }
    }
}
