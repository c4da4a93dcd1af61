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

    @Test func `a run that sleeps, and was found by trying every order, is repeated in the same steps`()
        throws
    {
        let program = Program(name: "sleepers", summary: "two sleeps until one moment") {
            let order = Log()
            let end = ContinuousClock.now + .seconds(1)
            await withTaskGroup(of: Void.self) { group in
                for name in ["a", "b"] {
                    group.addTask {
                        try? await Task.sleep(until: end)
                        await order.add(name)
                    }
                }
            }
            if await order.text == "ba" { throw Programs.Wrong(what: "order") }
        }
        let result = ExhaustiveSearch(program).run()
        let recipe = try #require(result.failures.first?.recipe)
        #expect(recipe.timing == .exact)
        let again = program.run(recipe)
        #expect(again.failure?.fingerprint == "order")
        #expect(again.report?.time == .seconds(1))
    }

    @Test func `pruning tries fewer orders and finds the same outcomes`() {
        // The end of a child is its parent's affair, so that the last steps of two children never commute.
        @Sendable func body() async -> String {
            let (one, other) = (Log(), Log())
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await one.add("a")
                    await other.add("b")
                }
                group.addTask {
                    await other.add("c")
                    await one.add("d")
                }
            }
            return await "\(one.text) \(other.text)"
        }
        let (all, full) = outcomes(prunes: false, body)
        let (some, pruned) = outcomes(prunes: true, body)
        #expect(all == ["ad bc", "ad cb", "da cb"])
        #expect(some == all)
        #expect(pruned.runs < full.runs)
    }

    /// The outcomes of a program that notes one in each run.
    private func outcomes(
        prunes: Bool,
        assumesIsolation: Bool = false,
        _ body: @escaping @Sendable () async -> String
    ) -> (all: Set<String>, result: ExhaustiveSearch.Result) {
        let seen = Seen()
        let program = Program(name: "outcomes", summary: "notes what came of it") { seen.add(await body()) }
        let result = ExhaustiveSearch(program, prunes: prunes, assumesIsolation: assumesIsolation).run()
        #expect(result.isExhausted)
        return (seen.all, result)
    }

    /// Two actors, each of which does one thing.
    private actor Dice {
        var number = 0
        func roll() { number = Int.random(in: 0..<1_000_000) }
        func tell(_ log: MainLog, _ text: String) -> Task<Void, Never> {
            Task { @MainActor in log.text += text }
        }
        func spark(_ text: String) -> String {
            Simulation.current?.faultSource("spark").fires(probability: 0.5) == nil ? "" : text
        }
    }

    @MainActor private final class MainLog: Sendable {
        var text = ""
        nonisolated init() {}
    }

    @Test func `two actors that draw from the chance of one node are tried in both orders`() {
        @Sendable func body() async -> String {
            let (one, other) = (Dice(), Dice())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await one.roll() }
                group.addTask { await other.roll() }
            }
            return await "\(one.number) \(other.number)"
        }
        let full = outcomes(prunes: false, body).all
        #expect(full.count == 2)
        #expect(outcomes(prunes: true, body).all == full)
        #expect(outcomes(prunes: true, assumesIsolation: true, body).all == full)
    }

    @Test func `two actors that have jobs for one main queue are tried in both orders`() {
        @Sendable func body() async -> String {
            let (one, other, log) = (Dice(), Dice(), MainLog())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await one.tell(log, "a").value }
                group.addTask { await other.tell(log, "b").value }
            }
            return await log.text
        }
        let full = outcomes(prunes: false, body).all
        #expect(full == ["ab", "ba"])
        #expect(outcomes(prunes: true, body).all == full)
        #expect(outcomes(prunes: true, assumesIsolation: true, body).all == full)
    }

    @Test func `two actors for which one fault is decided are tried in both orders`() {
        @Sendable func body() async -> String {
            let (one, other) = (Dice(), Dice())
            return await withTaskGroup(of: String.self) { group in
                group.addTask { await one.spark("a") }
                group.addTask { await other.spark("b") }
                return await group.reduce(into: [String]()) { $0.append($1) }.sorted().joined()
            }
        }
        // Of the first two decisions of the source exactly one is a fault, so that the order decides whose it is.
        let full = outcomes(prunes: false, body).all
        #expect(full == ["a", "b"])
        #expect(outcomes(prunes: true, body).all == full)
        #expect(outcomes(prunes: true, assumesIsolation: true, body).all == full)
    }

    @Test func `where tasks share nothing but actors, far fewer orders are tried, with the same outcomes`() {
        @Sendable func body() async -> String {
            let (one, other) = (Log(), Log())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await one.add("a") }
                group.addTask { await one.add("b") }
                group.addTask { await other.add("c") }
            }
            return await "\(one.text) \(other.text)"
        }
        let pruned = outcomes(prunes: true, body)
        let isolated = outcomes(prunes: true, assumesIsolation: true, body)
        #expect(isolated.all == ["ab c", "ba c"])
        #expect(isolated.result.runs * 2 < pruned.result.runs)
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
        #expect(result.failures.map(\.failure.fingerprint).allSatisfy { $0.hasPrefix("stuck: body, ") })
        #expect(!result.failures.isEmpty)
    }

    @Test func `the causes of a step are its own past and nothing else`() throws {
        let run = Programs.lostUpdate.run(Recipe(seed: 1), recording: .everything)
        let trace = try #require(run.trace)
        // Before all tasks come together, some of what has happened has nothing to do with it.
        let middle = trace.steps.count * 2 / 3
        let causes = trace.causes(of: middle)
        #expect(causes.last == middle)
        #expect(causes.count < middle)
        // Whole: what one of them needs is among them.
        func needs(_ step: Int) -> Set<Int> {
            let (cause, task) = (trace.steps[step - 1].cause, trace.steps[step - 1].task)
            let actor = trace.steps[step - 1].actor
            let previous = task == 0 ? nil : trace.steps[..<(step - 1)].lastIndex { $0.task == task }
            let onActor = actor == 0 ? nil : trace.steps[..<(step - 1)].lastIndex { $0.actor == actor }
            return Set([cause, (previous ?? -1) + 1, (onActor ?? -1) + 1]).subtracting([0])
        }
        let needed = causes.reduce(into: Set<Int>()) { $0.formUnion(needs($1)) }
        #expect(needed.isSubset(of: causes))
        // And nothing else: each but the last is needed by a later one of them.
        #expect(needed == Set(causes.dropLast()))
    }

    @Test func `a step's causes are those of its task's earlier steps too`() {
        let steps = [(1, 0), (2, 1), (3, 1), (2, 0), (3, 3)].map { task, cause in
            Trace.Step(
                nanoseconds: 0,
                node: 0,
                task: task,
                kind: .task,
                cause: cause,
                choice: 0,
                ready: 1
            )
        }
        let trace = Trace(nodes: ["test"], steps: steps, tasks: [], events: [])
        #expect(trace.causes(of: 4) == [1, 2, 4])
        #expect(trace.causes(of: 5) == [1, 3, 5])
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
