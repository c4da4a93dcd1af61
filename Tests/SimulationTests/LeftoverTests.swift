import Simulation
import Testing

@Suite("Leftovers")
struct LeftoverTests {
    private var strict: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.forbidsLeftovers = true
        return configuration
    }

    @Test
    func `what a cancelled run leaves behind is seen although its body says only that it was cancelled`() {
        var configuration = strict
        configuration.cancellation = .after(task: 3, steps: 1)
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: configuration).run {
                Task(name: "forgotten") {
                    await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                }
                let worker = Task { try await Task.sleep(for: .seconds(1)) }
                try await worker.value
            }
        }
        guard case .leftovers(let report) = error else {
            Issue.record("no leftovers: \(String(describing: error))")
            return
        }
        #expect(report.waiting.map(\.name) == ["forgotten"])
    }

    @Test func `a body that says it was cancelled, when nobody was, has failed with that`() {
        var configuration = strict
        configuration.cancellation = .after(task: 99, steps: 1)
        #expect(throws: CancellationError.self) {
            try Simulation(seed: 1, configuration: configuration)
                .run(Simulation.acceptingCancellation { throw CancellationError() })
        }
    }

    @Test func `what the last step of a crashed node still makes is no leftover`() throws {
        let ran = Shared(false)
        for seed in 1...10 as ClosedRange<UInt64> {
            try Simulation(seed: seed, configuration: strict).run {
                guard let simulation = Simulation.current else { return }
                let node = simulation.node("phone")
                node.start {
                    node.crash()
                    Task { ran.withLock { $0 = true } }
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { ran.withLock { $0 = true } }
                    }
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
        #expect(!ran.withLock { $0 })
    }

    @Test func `what a task of a crashed node begins as it unwinds is no leftover, and is cancelled`() throws
    {
        let cancelled = Shared([Bool]())
        var configuration = strict
        configuration.unwindsCrashedNodes = true
        for isRestarted in [false, true] {
            try Simulation(seed: 1, configuration: configuration).run {
                guard let simulation = Simulation.current else { return }
                let node = simulation.node("phone")
                let isFirst = Shared(true)
                node.start {
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    try? await Task.sleep(for: .seconds(60))
                    if !isFirst { return }
                    Task {
                        cancelled.withLock { $0.append(Task.isCancelled) }
                        // Endless, as what nobody cancels is.
                        while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
                        await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                    }
                }
                try await Task.sleep(for: .seconds(1))
                node.crash()
                if isRestarted { node.restart() }
            }
        }
        #expect(cancelled.withLock { $0 } == [true, true])
    }

    @Test func `nor does it run when the node has begun another life`() throws {
        let ran = Shared(false)
        let lives = Shared(0)
        try Simulation(seed: 1, configuration: strict).run {
            guard let simulation = Simulation.current else { return }
            let node = simulation.node("phone")
            node.start {
                let life = lives.withLock { count in
                    count += 1
                    return count
                }
                guard life == 1 else { return }
                node.restart()
                Task { ran.withLock { $0 = true } }
            }
            try await Task.sleep(for: .seconds(1))
        }
        #expect(lives.withLock { $0 } == 2)
        #expect(!ran.withLock { $0 })
    }

    @Test(arguments: [false, true])
    func `after a run the tasks of a crashed node release what they hold, whether they had begun or not`(
        begins: Bool
    ) throws {
        var configuration = strict
        configuration.unwindsCrashedNodes = true
        weak var held: Shared<Int>?
        do {
            let object = Shared(0)
            held = object
            try Simulation(seed: 1, configuration: configuration).run { [object] in
                guard let simulation = Simulation.current else { return }
                let node = simulation.node("phone")
                node.start {
                    object.withLock { $0 += 1 }
                    try? await Task.sleep(for: .seconds(9))
                    _ = object
                }
                if begins { try await Task.sleep(for: .seconds(1)) }
                #expect(object.withLock { $0 } == (begins ? 1 : 0))
                node.crash()
            }
        }
        #expect(held == nil)
    }
}
