import CSimulation
import Foundation
import Simulation
import Synchronization
import Testing

/// Steps that never end are ended by the watchdog.
@Suite("Hangs", .timeLimit(.minutes(10)))
struct LiveHangTests {
    private func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `a step that spins ends the process, with the run, the step and its source line`() async throws
    {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            try named(seed: 12, configuration: .impatient) {
                try await Task.sleep(for: .seconds(2))
                spin()
            }
        }
        let text = try text(result)
        #expect(text.contains("LensSim: the test A/b hangs: one step has not ended for 0."), "\(text)")
        #expect(text.contains("(seed 12 · virtual 2.000000 s · step "), "\(text)")
        #expect(text.contains("  reproduce: LENSSIM_RECIPE='seed=12' swift test\n"), "\(text)")
        #expect(text.contains("spin() at LiveHangTests.swift:\(spinLine)"), "\(text)")
    }

    @Test func `a step that waits in a system call is found as well`() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            try named(seed: 13, configuration: .impatient) { readFromNobody() }
        }
        let text = try text(result)
        #expect(text.contains("(seed 13 · virtual 0.000000 s · step "), "\(text)")
        #expect(text.contains("readFromNobody() at LiveHangTests.swift:"), "\(text)")
    }

    @Test func `of several threads the one that hangs is named`() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            await withTaskGroup(of: Void.self) { group in
                for seed in 1...2 as ClosedRange<UInt64> {
                    group.addTask {
                        repeat {
                            try? named(seed: seed, configuration: .impatient) {
                                try await Task.sleep(for: .seconds(1))
                                if seed == 2 { spin() }
                            }
                        } while true
                    }
                }
            }
        }
        #expect(try text(result).contains("(seed 2 · virtual 1.000000 s"))
    }

    @Test func `the environment has the last word about the time that a step may take`() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            try named(seed: 14) { spin() }
        }
        #expect(try text(result).contains("(seed 14 · "))
    }

    @Test func `many short steps, and real time that passes on purpose, are no hang`() async throws {
        await #expect(processExitsWith: .success) {
            let end = csim_real_now() + 1_000_000_000
            try named(seed: 1, configuration: .impatient) {
                while csim_real_now() < end { await Task.yield() }
            }
            var paced = Simulation.Configuration.impatient
            paced.pace = .real
            try named(seed: 1, configuration: paced) { try await Task.sleep(for: .seconds(1)) }
        }
    }

    @Test func `a step that waits for a processor is no hang, however busy the machine`() async throws {
        await #expect(processExitsWith: .success) {
            // So many threads that the step needs more than twice as long as it may, and others of the machine not much longer.
            for _ in 0..<5 * ProcessInfo.processInfo.activeProcessorCount {
                Thread.detachNewThread { spin() }
            }
            let start = ContinuousClock.now
            try named(seed: 1, configuration: .impatient) { useProcessor(for: .milliseconds(150)) }
            // Else nothing was shown.
            precondition(start.duration(to: .now) > .milliseconds(300))
        }
    }

    @Test func `a step whose failure is looked up by a slow process is no hang`() async throws {
        await #expect(processExitsWith: .success) {
            let tool = NSTemporaryDirectory() + "slow-symbolizer-\(UUID())"
            defer { try? FileManager.default.removeItem(atPath: tool) }
            let script = "#!/bin/sh\nread question; sleep 1; printf 'found\\nfile.swift:7:1\\n\\n'\n"
            try Data(script.utf8).write(to: URL(filePath: tool))
            _ = unsafe chmod(tool, 0o700)
            // Invariant that makes this Sendable: used by this thread alone, which runs the simulation, too.
            nonisolated(unsafe) let symbolizer = try #require(Symbolizer(paths: [tool]))
            let line = Shared(0)
            try named(seed: 1, configuration: .impatient) {
                // As the engine does when a check has failed: the run does not see it.
                let world = unsafe csim_set_current(nil)
                defer { _ = unsafe csim_set_current(world) }
                line.withLock { $0 = unsafe symbolizer.places(at: 1, in: "program")?.first?.line ?? 0 }
            }
            #expect(line.withLock { $0 } == 7)
        }
    }
}

extension Simulation.Configuration {
    /// Takes a step of a third of a second for a hang.
    fileprivate static var impatient: Self {
        var configuration = Self()
        configuration.stepTimeout = .milliseconds(300)
        return configuration
    }
}

private let spinLine = #line + 4
@inline(never) private func spin() {
    let never = Atomic(false)
    // Nobody sets it.
    while !never.load(ordering: .relaxed) {}
}

/// Uses the processor for so long, whatever time that takes.
private func useProcessor(for duration: Duration) {
    func used() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let end = used() + duration
    while used() < end {}
}

@inline(never) private func readFromNobody() {
    var ends: [Int32] = [0, 0]
    var byte: UInt8 = 0
    unsafe pipe(&ends)
    _ = unsafe read(ends[0], &byte, 1)
}
