import Simulation
import SimulationTesting
import Testing

@Suite("Properties that are looked at after each step")
struct InvariantTests {
    /// A value that is wrong only between two steps of a task.
    private func run(holds: Bool) throws {
        try Simulation(seed: 3).run {
            let balance = Shared(100)
            Simulation.current?.always("no money is missing", seen: { "\(balance.withLock { $0 })" }) {
                balance.withLock { $0 } == 100
            }
            for _ in 0..<20 { await Task.yield() }
            balance.withLock { $0 -= 40 }
            if !holds { await Task.yield() }
            balance.withLock { $0 += 40 }
            await Task.yield()
        }
    }

    @Test func `what is broken for one step only is caught, with what was seen`() {
        let error = #expect(throws: PropertyViolation.self) { try run(holds: false) }
        #expect(error?.property == "no money is missing")
        #expect(error?.seen == "60")
        #expect(error?.kind == .always)
    }

    @Test func `what is wrong only within a step is not seen`() throws {
        try run(holds: true)
    }

    @Test func `a violation ends a run whose body never ends`() {
        let error = #expect(throws: PropertyViolation.self) {
            try Simulation(seed: 3).run {
                let balance = Shared(100)
                Simulation.current?.always("no money is missing") { balance.withLock { $0 } == 100 }
                Task { balance.withLock { $0 -= 40 } }
                await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
        #expect(error?.property == "no money is missing")
    }

    @Test func `what happens after the body has ended is not looked at`() throws {
        let value = Shared(0)
        let (_, report) = try Simulation(seed: 1).runReporting {
            Simulation.current?.always("it stays zero") { value.withLock { $0 } == 0 }
            Task {
                try? await Task.sleep(for: .seconds(100))
                value.withLock { $0 = 1 }
                await Task.yield()
            }
            await Task.yield()
        }
        #expect(value.withLock { $0 } == 1, "the cancelled task has gone on")
        #expect(report.unfinishedTasks == 0)
    }

    @Test(arguments: [true, false])
    func `an eventual property stands in the catalogue, held or violated`(_ isKept: Bool) throws {
        let simulation = Simulation(seed: 1)
        do {
            try simulation.run {
                try await Simulation.current?.eventually("it ends", within: .seconds(1)) { isKept }
            }
        } catch let broken as PropertyViolation {
            #expect(broken.kind == .eventually)
        }
        let check = try #require(simulation.report.checks.first { $0.name == "it ends" })
        #expect(check.kind == .eventually)
        #expect(check.evaluations == 1)
        #expect(check.hits == (isKept ? 1 : 0))
        #expect(check.file.hasSuffix("InvariantTests.swift"))
    }

    @Test func `the property stands in the catalogue of checks`() throws {
        let (_, report) = try Simulation(seed: 1).runReporting {
            Simulation.current?.always("one is one") { 1 == 1 }
            for _ in 0..<5 { await Task.yield() }
        }
        let check = try #require(report.checks.first { $0.name == "one is one" })
        #expect(check.evaluations == report.steps)
        #expect(check.hits == report.steps)
        #expect(check.file.hasSuffix("InvariantTests.swift"))
    }
}
