import Glibc
import Simulation
import Testing

@Suite("Failure reports")
struct FailureReportTests {
    private func error(_ body: @escaping @Sendable () async throws -> Void) throws -> SimulationError {
        try #require(#expect(throws: SimulationError.self) { try Simulation(seed: 1).run(body) })
    }

    @Test func `a deadlock names the tasks, where they are suspended and where they were spawned`() throws {
        let error = try error {
            let forgotten = Task(name: "uploader") {
                await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
            try await Task.sleep(for: .seconds(3))
            await forgotten.value
        }
        guard case .stuck(let report) = error else {
            Issue.record("not stuck: \(error)")
            return
        }
        #expect(report.position.time == .seconds(3))
        let uploader = try #require(report.waiting.first { $0.name == "uploader" })
        #expect(uploader.spawnedAt.first?.file?.hasSuffix("FailureReportTests.swift") == true)
        #expect(uploader.spawnedAt.first?.line == #line - 13)
        #expect(uploader.waitsAt.first?.function.contains("FailureReportTests") == true)
        #expect(report.waiting.contains { $0.name == "body" && $0.id == uploader.parent })
        let text = error.description
        #expect(text.hasPrefix("deadlock: no runnable task (seed 1 · virtual 3.000000 s · step "))
        #expect(text.contains("\n2 tasks are suspended:\n"))
        #expect(
            text.contains(
                "“uploader” on node test, suspended at closure #1 in closure #1 in FailureReportTests."
            )
        )
        let body = try #require(report.waiting.first { $0.name == "body" })
        #expect(body.waitsAt.first?.function.contains("FailureReportTests") == true)
    }

    @Test func `what escaped is printed before the tasks that wait for it`() throws {
        let error = try error {
            _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.dropFirst().first == "the program escaped the simulation before:")
        #expect(
            lines.dropFirst(2).first?.hasPrefix("  socket called from closure #1 in FailureReportTests.")
                == true
        )
        #expect(lines.dropFirst(3).first == "1 task is suspended:")
    }

    @Test func `tasks that are left are cancelled and unwound after the body`() throws {
        let (_, report) = try Simulation(seed: 1).runReporting {
            Task { try await Task.sleep(for: .seconds(86_400)) }
            Task { await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        #expect(report.unfinishedTasks == 1)
        #expect(report.time == .zero)
    }

    @Test func `a loop that never sleeps is ended at the step limit`() throws {
        var configuration = Simulation.Configuration()
        configuration.maximumSteps = 1000
        let simulation = Simulation(seed: 1, configuration: configuration)
        let error = #expect(throws: SimulationError.self) {
            try simulation.run {
                Task(name: "forgotten") {
                    await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                }
                while !Task.isCancelled { await Task.yield() }
            }
        }
        guard case .stepLimit(let report) = error else {
            Issue.record("not the step limit: \(String(describing: error))")
            return
        }
        #expect(report.position.step == 1000)
        #expect(report.waiting.map(\.name) == ["forgotten", "body"])
        let text = error?.description ?? ""
        #expect(text.contains("“forgotten” on node test"))
    }

    @Test func `a loop that sleeps forever is ended at the time limit`() throws {
        var configuration = Simulation.Configuration()
        configuration.maximumTime = .seconds(60)
        let simulation = Simulation(seed: 1, configuration: configuration)
        let error = #expect(throws: SimulationError.self) {
            try simulation.run { while !Task.isCancelled { try await Task.sleep(for: .seconds(1)) } }
        }
        guard case .timeLimit = error else {
            Issue.record("not the time limit: \(String(describing: error))")
            return
        }
    }

    @Test func `a run that is ended at its time gives back what its tasks hold, and notes nothing of that`() {
        let given = Shared(0)
        let noted = Shared<[String]>([])
        var configuration = Simulation.Configuration()
        configuration.maximumTime = .seconds(60)
        configuration.onEvent = { event in noted.withLock { $0.append(event.detail) } }
        let simulation = Simulation(seed: 1, configuration: configuration)
        #expect(throws: SimulationError.self) {
            try simulation.run {
                Simulation.current?.note("state", "begun")
                defer {
                    Simulation.current?.note("state", "cleaned up")
                    given.withLock { $0 += 1 }
                }
                try await Task.sleep(for: .seconds(3600))
            }
        }
        #expect(given.withLock { $0 } == 1)
        #expect(noted.withLock { $0 } == ["begun"])
        #expect(simulation.report.time <= .seconds(60))
    }

    @Test func `a simulation inside another is refused`() throws {
        let error = try #require(
            throws: SimulationError.self,
            performing: { try Simulation(seed: 1).run { try Simulation(seed: 2).run {} } }
        )
        guard case .nested = error else {
            Issue.record("not nested: \(error)")
            return
        }
    }
}
