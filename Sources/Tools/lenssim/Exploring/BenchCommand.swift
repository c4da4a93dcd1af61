import ArgumentParser
import CommandKit
import Foundation
import Simulation

/// The command `lenssim bench WHAT`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the engine on this machine, on one core.",
        usage: "lenssim bench sleeps|steps|simulations [<options>]",
        discussion: HelpText.filled(
            """
            Figures depend on the machine and on what else it does; use a release build. make bench compares with others.

            Examples:
              lenssim bench sleeps --tasks 200 --sleeps 1000 --json
              lenssim bench steps
              lenssim bench simulations
            """
        )
    )

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case sleeps, steps, simulations
    }

    @Argument(help: "sleeps, steps or simulations.")
    var subject: Subject

    @Option(help: "Tasks.")
    var tasks = 200

    @Option(help: "Sleeps of each task, of 1 to 2000 µs.")
    var sleeps = 1000

    @Option(help: "Rounds, of which the median counts.")
    var rounds = 5

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(tasks), (1...1_000_000).contains(sleeps), (1...1000).contains(rounds)
        else {
            throw ValidationError("--tasks must be 1 to 100000, --sleeps 1 to 1000000, --rounds 1 to 1000.")
        }
    }

    func run() throws {
        let terminal = Terminal()
        let name = "\(subject.rawValue)PerSecond"
        let rates = try (0..<rounds).map { _ in try measure() }.sorted()
        let median = rates[rates.count / 2]
        if json {
            return try printJSON(
                [name: median, "lowest": rates[0], "highest": rates[rates.count - 1]],
                on: terminal
            )
        }
        #if DEBUG
        terminal.warn("lenssim: this is a debug build; figures of a release build are several times as high")
        #endif
        terminal.line(
            "\(grouped(Int(median))) \(subject.rawValue) a second (\(grouped(Int(rates[0]))) … "
                + "\(grouped(Int(rates[rates.count - 1]))), \(rounds) rounds)"
        )
    }

    /// Units of the subject a second of processor time.
    private func measure() throws -> Double {
        let start = processorSeconds()
        let units: Int
        switch subject {
        case .sleeps:
            try Simulation(seed: 1).run { [tasks, sleeps] in try await Self.sleep(tasks, sleeps) }
            units = tasks * sleeps
        case .steps:
            let (_, report) = try Simulation(seed: 1).runReporting { [tasks] in await Self.yield(tasks) }
            units = report.steps
        case .simulations:
            units = 20_000
            for seed in 0..<UInt64(units) { try Simulation(seed: seed).run {} }
        }
        return Double(units) / (processorSeconds() - start)
    }

    private static func sleep(_ tasks: Int, _ sleeps: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    // A generator of its own, so that what is measured is the sleep.
                    var state = UInt64(task &+ 77)
                    for _ in 0..<sleeps {
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        try await Task.sleep(for: .microseconds(1 + Int64(state >> 33) % 2000))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func yield(_ tasks: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask { for _ in 0..<5000 { await Task.yield() } }
            }
        }
    }
}
