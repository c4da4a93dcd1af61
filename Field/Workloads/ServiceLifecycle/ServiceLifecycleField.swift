import Logging
import ServiceLifecycle
import SimulationTesting
import Synchronization
import Testing

@Suite struct ServiceLifecycleField {
    private final class Journal: Sendable {
        let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Failure: Error {}

    /// Runs until it is shut down, or for a while; takes its time to end, and may fail.
    private struct Worker: Service {
        var number: Int
        var journal: Journal
        var endsItself: Bool
        var fails: Bool

        func run() async throws {
            journal.note("\(number) begins")
            defer { journal.note("\(number) has ended") }
            if endsItself {
                try await Task.sleep(for: .milliseconds(.random(in: 1...20)))
            } else {
                // Throws if the whole group is cancelled.
                try await gracefulShutdown()
                journal.note("\(number) is asked to end")
                try await Task.sleep(for: .milliseconds(.random(in: 1...5)))
            }
            if fails { throw Failure() }
        }
    }

    /// Services are shut down in the reverse of the order in which they were started, each when those after it have ended.
    @Test(.simulated(seeds: 1...200))
    func `services are shut down one after the other, in reverse`() async throws {
        let journal = Journal()
        let count = 4
        let workers = (0..<count).map { number in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: Worker(
                    number: number,
                    journal: journal,
                    endsItself: number > 0 && .random(),
                    fails: .random()
                ),
                successTerminationBehavior: .ignore,
                failureTerminationBehavior: .ignore
            )
        }
        let logger = Logger(label: "field") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: workers, logger: logger))
        let running = Task { try await group.run() }
        try await Task.sleep(for: .milliseconds(.random(in: 1...20)))
        await group.triggerGracefulShutdown()
        _ = await running.result
        var begun: Set<Int> = []
        var ended: Set<Int> = []
        for line in journal.lines.withLock({ $0 }) {
            let number = try #require(Int(line.prefix { $0.isNumber }))
            if line.hasSuffix("begins") {
                begun.insert(number)
            } else if line.hasSuffix("has ended") {
                ended.insert(number)
            } else {
                let early = begun.subtracting(ended).filter { $0 > number }
                #expect(early.isEmpty, "\(number) is asked to end before \(early) have ended")
            }
        }
        #expect(ended == begun)
    }

    /// What is cancelled on shutdown may take its time, and still ends with its result.
    @Test(.simulated(seeds: 1...200))
    func `an operation that is cancelled ends with its result`() async throws {
        let task = Task {
            try await cancelOnGracefulShutdown {
                try? await Task.sleep(for: .milliseconds(.random(in: 0...10)))
                return 42
            }
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        task.cancel()
        #expect(try await task.value == 42)
    }
}
