import Exploration
import Probes
import Simulation
import Synchronization
import Testing

@Suite("Searches")
struct SearchTests {
    @Test func `the space of a small program is exhausted, and its bug is found`() throws {
        let buggy = Program(name: "two", summary: "two updates") {
            let account = Programs.Account()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let seen = await account.balance
                        await account.set(seen + 1)
                    }
                }
            }
            if await account.balance != 2 { throw Programs.Wrong(what: "lost") }
        }
        let result = ExhaustiveSearch(buggy).run()
        #expect(result.isExhausted)
        #expect(result.failures.map(\.failure.fingerprint) == ["lost"])
        let again = buggy.run(try #require(result.failures.first?.recipe))
        #expect(again.failure?.fingerprint == "lost")
    }

    @Test func `pruning tries fewer orders and finds the same outcomes`() {
        func outcomes(prunes: Bool) -> (Set<String>, ExhaustiveSearch.Result) {
            let seen = Seen()
            let program = Program(name: "actors", summary: "three tasks on two actors") {
                let one = Log()
                let other = Log()
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await one.add("a") }
                    group.addTask { await one.add("b") }
                    group.addTask { await other.add("c") }
                }
                let outcome = await "\(one.text) \(other.text)"
                seen.add(outcome)
            }
            let result = ExhaustiveSearch(program, prunes: prunes).run()
            return (seen.all, result)
        }
        let (all, full) = outcomes(prunes: false)
        let (some, pruned) = outcomes(prunes: true)
        #expect(full.isExhausted && pruned.isExhausted)
        #expect(all == ["ab c", "ba c"])
        #expect(some == all)
        #expect(pruned.runs < full.runs)
    }

    @Test func `a search that ends at a limit says that it has not seen everything`() {
        #expect(!ExhaustiveSearch(Programs.lostUpdate, limit: 10).run().isExhausted)
        let shallow = ExhaustiveSearch(Programs.sound, depth: 1).run()
        #expect(!shallow.isExhausted)
    }

    @Test func `each task is cancelled at each suspension, and the one that does not clean up is found`()
        throws
    {
        func program(cleansUp: Bool) -> Program {
            Program(name: "cleanup", summary: "holds something over a sleep") {
                let held = Seen()
                let worker = Task {
                    try await Task.sleep(for: .seconds(1))
                    held.add("one")
                    defer { if cleansUp { held.remove("one") } }
                    try await Task.sleep(for: .seconds(1))
                    if !cleansUp { held.remove("one") }
                }
                _ = await worker.result
                if !held.all.isEmpty { throw Programs.Wrong(what: "held") }
            }
        }
        let buggy = CancellationSearch(program(cleansUp: false)).run()
        #expect(buggy.isExhausted)
        #expect(buggy.points >= 2)
        #expect(buggy.failures.map(\.failure.fingerprint) == ["held"])
        #expect(buggy.failures.first?.recipe.cancellation == .after(task: 2, steps: 2))
        #expect(CancellationSearch(program(cleansUp: true)).run().failures.isEmpty)
    }

    @Test func `a continuation that a cancelled task leaves behind is a failure`() {
        let program = Program(name: "leak", summary: "waits without a cancellation handler") {
            let gate = Gate()
            let waiter = Task { await gate.wait() }
            try? await Task.sleep(for: .seconds(1))
            if !waiter.isCancelled { gate.open() }
            await waiter.value
        }
        let result = CancellationSearch(program).run()
        #expect(result.failures.map(\.failure.fingerprint) == ["stuck"])
    }

    @Test func `the causes of a step are its own past and nothing else`() throws {
        let run = Programs.lostUpdate.run(Recipe(seed: 1), recording: .everything)
        let trace = try #require(run.trace)
        // Before all tasks come together, some of what has happened has nothing to do with it.
        let middle = trace.steps.count * 2 / 3
        let causes = trace.causes(of: middle)
        #expect(causes.last == middle)
        #expect(causes.count < middle)
        for step in causes {
            #expect(trace.steps[step - 1].cause == 0 || causes.contains(trace.steps[step - 1].cause))
        }
    }
}

private actor Log {
    var text = ""
    func add(_ part: String) { text += part }
}

private final class Seen: Sendable {
    private let values = Mutex<Set<String>>([])
    func add(_ value: String) { values.withLock { _ = $0.insert(value) } }
    func remove(_ value: String) { values.withLock { _ = $0.remove(value) } }
    var all: Set<String> { values.withLock { $0 } }
}

private final class Gate: Sendable {
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)
    func wait() async {
        await withCheckedContinuation { continuation in waiter.withLock { $0 = continuation } }
    }
    func open() { waiter.withLock { $0 }?.resume() }
}
