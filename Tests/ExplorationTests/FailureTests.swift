import Dispatch
import Exploration
import Glibc
import Simulation
import Testing

@Suite("Names of failures")
struct FailureTests {
    private func wait() async {
        await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    private func failure(of body: @escaping @Sendable () async throws -> Void) throws -> String {
        let program = Program(name: "failing", summary: "fails", body: body)
        return try #require(program.run(Recipe(seed: 1)).failure).fingerprint
    }

    @Test func `who waits in a deadlock is part of its name, whatever their numbers and their order`() throws
    {
        func deadlock(_ names: [String]) throws -> String {
            try failure {
                for name in names { Task(name: name) { await wait() } }
                await wait()
            }
        }
        #expect(try deadlock(["reader", "writer 1", "writer 2"]) == "stuck: body, reader, writer #")
        #expect(try deadlock(["writer 7", "reader"]) == "stuck: body, reader, writer #")
        #expect(try deadlock(["reader"]) == "stuck: body, reader")
    }

    @Test func `a task without a name is named by its place`() throws {
        let name = try failure {
            Task { await wait() }
            await wait()
        }
        #expect(name.contains("FailureTests.swift:#"))
    }

    @Test func `what is left behind, and the way out that was tried, are part of the name`() throws {
        #expect(try failure { Task(name: "pump") { await wait() } } == "leftovers: pump")
        #expect(try failure { DispatchQueue.global().async {} }.hasPrefix("escaped: dispatch_"))
        #expect(try failure { pauseForAMoment() } == "escaped: usleep")
    }

    @Test func `a run of which nobody was cancelled fails when its body says so`() {
        let program = Program(name: "quitter", summary: "gives up") { throw CancellationError() }
        let never = Recipe(seed: 1, cancellation: .after(task: 99, steps: 1))
        #expect(program.run(never).failure != nil)
    }

    @Test func `a run that was cancelled may say so, but not leave anything behind`() {
        func program(leaks: Bool) -> Program {
            Program(name: "worker", summary: "is cancelled") {
                let worker = Task { try await Task.sleep(for: .seconds(1)) }
                if leaks { Task(name: "pump") { await wait() } }
                try await worker.value
            }
        }
        let cancelled = Recipe(seed: 1, cancellation: .after(task: 2, steps: 1))
        #expect(program(leaks: false).run(cancelled).failure == nil)
        #expect(program(leaks: true).run(cancelled).failure?.fingerprint == "leftovers: pump")
    }
}

private func pauseForAMoment() { usleep(10) }
