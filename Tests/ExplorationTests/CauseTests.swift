import Exploration
import Simulation
import Synchronization
import Testing

private struct Broken: Error, NamedFailure { let failureName = "broken" }

/// A value that is got once for all who ask; whoever asked first and is cancelled cancels it for the others.
private actor Credential {
    private var shared: Task<Int, any Error>?

    func value() async throws -> Int {
        if let shared { return try await shared.value }
        let task = Task {
            try await Task.sleep(for: .milliseconds(10))
            return 1
        }
        shared = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()  // shared cancel
        }
    }
}

private let sharedTask = Program(name: "shared-task", summary: "") {
    let credential = Credential()
    let first = Task { try await credential.value() }
    try await Task.sleep(for: .milliseconds(1))
    let second = Task { try await credential.value() }
    try await Task.sleep(for: .milliseconds(1))
    first.cancel()  // first cancel
    _ = await first.result
    if case .failure = await second.result { throw Broken() }
}

/// A call with a time-out that is too short for what it calls.
private let impatient = Program(name: "impatient", summary: "") {
    let value = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
            try await Task.sleep(for: .seconds(5))
            await Task.yield()
            return 1
        }
        group.addTask {
            try await Task.sleep(for: .seconds(3))  // time-out
            return 0
        }
        let first = try await group.next() ?? 0
        group.cancelAll()
        return first
    }
    if value == 0 { throw Broken() }
}

/// A deadline that is kept by the wall clock.
private let deadline = Program(name: "deadline", summary: "") {
    guard let simulation = Simulation.current else { return }
    let clock = simulation.node("test").clock
    let start = clock.time
    try await Task.sleep(for: .seconds(1))
    clock.step(by: .seconds(-60))  // clock step
    try await Task.sleep(for: .seconds(1))
    if clock.time < start { throw Broken() }
}

/// A program whose cancellation has nothing to do with its failure.
private let innocent = Program(name: "innocent", summary: "") {
    let task = Task { try await Task.sleep(for: .seconds(1)) }
    await Task.yield()
    task.cancel()
    _ = await task.result
    throw Broken()
}

@Suite("Causes")
struct CauseTests {
    private func lines(_ mark: String) -> [Int] {
        SourceLines.excerpt(around: 1, of: #filePath, lines: 1_000).enumerated()
            .filter { $0.element.hasSuffix("// \(mark)") }.map { $0.offset + 1 }
    }

    private func causes(
        _ program: Program,
        within limit: Duration = .seconds(60)
    ) throws -> (causes: [Cause], trace: Trace) {
        let recipe = Recipe(seed: 1, strategy: .fifo, firings: [])
        let run = program.run(recipe, recording: .everything)
        #expect(run.failure?.fingerprint == "broken", "\(run.failure as Any)")
        let trace = try #require(run.trace)
        return (program.causes(recipe, in: trace, limit: limit), trace)
    }

    @Test func `a cancellation without which the run passes is named with its line and its task`() throws {
        let (causes, trace) = try causes(sharedTask)
        let cause = try #require(causes.first { $0.kind == .cancellation })
        #expect(lines("shared cancel").contains(cause.line.place.line), "\(causes)")
        #expect(cause.line.source == "task.cancel()")
        #expect(cause.subject.hasPrefix("the task of CauseTests.swift:"), "\(cause)")
        let cancelled = trace.acts.map { trace.places[trace.stacks[$0.stack].first ?? 0].line }
        #expect(Set(cancelled) == Set(lines("shared cancel") + lines("first cancel")))
    }

    @Test func `the end of a sleep without which the run passes is named as a time-out`() throws {
        let (causes, _) = try causes(impatient)
        #expect(causes.map(\.kind) == [.timeOut], "\(causes)")
        #expect(causes.first.map { lines("time-out").contains($0.line.place.line) } == true, "\(causes)")
        #expect(
            causes.first?.description.hasPrefix(
                "the time-out by the end of a sleep, without which the run passes, at\nCauseTests.swift:"
            ) == true
        )
    }

    @Test func `a step of a clock without which the run passes is named with its node`() throws {
        let (causes, _) = try causes(deadline)
        #expect(causes.map(\.kind) == [.clockStep], "\(causes)")
        #expect(causes.first.map { lines("clock step").contains($0.line.place.line) } == true, "\(causes)")
        #expect(causes.first?.subject.hasPrefix("test by -60") == true, "\(causes)")
    }

    @Test func `what happened last is tried also where there is no time for anything else`() throws {
        #expect(try causes(deadline, within: .zero).causes.map(\.kind) == [.clockStep])
    }

    @Test func `what is not needed for the failure is no cause`() throws {
        #expect(try causes(innocent).causes.isEmpty)
    }

    @Test func `the cancellation of a search is a cause, where its task was suspended`() throws {
        let program = Program(name: "half", summary: "") {
            let isFree = Mutex(true)
            let worker = Task {
                isFree.withLock { $0 = false }
                try await Task.sleep(for: .seconds(1))  // worker sleeps
                isFree.withLock { $0 = true }
            }
            _ = await worker.result
            if !isFree.withLock({ $0 }) { throw Broken() }
        }
        let recipe = Recipe(
            seed: 1,
            strategy: .runUntilBlocked,
            preemptions: [],
            cancellation: .after(task: 2, steps: 1)
        )
        let run = program.run(recipe, recording: .everything)
        #expect(run.failure?.fingerprint == "broken")
        let causes = program.causes(recipe, in: try #require(run.trace), limit: .seconds(60))
        #expect(causes.map(\.kind) == [.cancellation], "\(causes)")
        #expect(causes.first.map { lines("worker sleeps").contains($0.line.place.line) } == true, "\(causes)")
    }
}
