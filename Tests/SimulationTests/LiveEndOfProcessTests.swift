import Glibc
import Simulation
import Synchronization
import Testing

/// What a run that ends the whole process leaves on standard error.
@Suite("Runs that end the process", .timeLimit(.minutes(10)))
struct LiveEndOfProcessTests {
    private func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `a trap says which run it was, where it was, and how to reproduce it`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try named(seed: 16) {
                try await Task.sleep(for: .milliseconds(1500))
                preconditionFailure("broken")
            }
        }
        let text = try text(result)
        #expect(text.contains("LensSim: the test A/b crashed with SIG"), "\(text)")
        #expect(text.contains("(seed 16 · virtual 1.500000 s · step "), "\(text)")
        #expect(text.contains("\n  reproduce: LENSSIM_RECIPE='seed=16' swift test\n"), "\(text)")
    }

    @Test func `a full stack is a crash too, also on a thread that Swift did not make`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // The runtime gives its own threads a stack for handlers, but not those of others.
            unsafe runOnPlainThread { try named(seed: 3) { _ = depth(0) } }
            while true { sched_yield() }
        }
        #expect(try text(result).contains("the test A/b crashed with SIGSEGV (seed 3 · virtual 0.000000 s"))
    }

    @Test(arguments: [SIGTRAP, SIGSEGV])
    func `a signal that is no fault ends the process, too`(signal: Int32) async throws {
        let result = await #expect(
            processExitsWith: .signal(signal),
            observing: [\.standardErrorContent]
        ) { [signal] in
            unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
            try named(seed: 3) {
                await Task.yield()
                raise(signal)
                while true { sched_yield() }
            }
        }
        let text = try text(result)
        #expect(text.contains("LensSim: the test A/b crashed with SIG"), "\(text)")
        #expect(text.contains("(seed 3 · "), "\(text)")
    }

    @Test func `a signal that is sent to the process ends it, whichever thread takes it`() async throws {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
            try named(seed: 3) {
                kill(getpid(), SIGSEGV)
                while true { sched_yield() }
            }
        }
    }

    @Test func `of several ends of one process the first is reported, whole`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try named(seed: 3) {
                unsafe runOnPlainThread { leave(7) }
                crash()
            }
        }
        let text = try text(result)
        #expect(
            text.contains(
                "LensSim: the test A/b crashed with SIGABRT (seed 3 · virtual 0.0"
            ),
            "\(text)"
        )
        #expect(text.components("LensSim: ") == 2, "\(text)")
    }

    @Test func `a crash of a simulation without a name says its seed`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Simulation(seed: 78).run { crash() }
        }
        let text = try text(result)
        #expect(text.contains("LensSim: a simulation crashed with SIGABRT (seed 78 · "), "\(text)")
    }

    @Test func `an exit with the code 0 is no success of its process`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(EX_SOFTWARE),
            observing: [\.standardErrorContent]
        ) {
            try named(seed: 5) { leave(0) }
        }
        #expect(try text(result).contains("LensSim: the test A/b called exit(0) (seed 5 · "))
    }

    @Test func `a call of exit names its place, and ends the process as the program wants`() async throws {
        let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            try named(seed: 5) {
                await Task.yield()
                leave(7)
            }
        }
        let text = try text(result)
        #expect(
            text.contains("LensSim: the test A/b called exit(7) (seed 5 · virtual 0.000000 s · step "),
            "\(text)"
        )
        #expect(text.contains("reproduce: LENSSIM_RECIPE='seed=5' swift test"), "\(text)")
        #expect(text.contains("leave(_:) at LiveEndOfProcessTests.swift:"), "\(text)")
    }

    @Test func `a quick exit is named too, and one outside of a simulation is not`() async throws {
        let inside = await #expect(processExitsWith: .exitCode(8), observing: [\.standardErrorContent]) {
            try named(seed: 6) { leaveQuickly(8) }
        }
        #expect(try text(inside).contains("called quick_exit(8) (seed 6 "))
        let outside = await #expect(processExitsWith: .exitCode(9), observing: [\.standardErrorContent]) {
            try named(seed: 6) {}
            exit(9)
        }
        let silence = try text(outside)
        #expect(!silence.contains("LensSim"))
    }

    @Test func `a run without a name says its seed`() async throws {
        let result = await #expect(processExitsWith: .exitCode(4), observing: [\.standardErrorContent]) {
            try Simulation(seed: 77).run { leaveAtOnce(4) }
        }
        #expect(try text(result).contains("LensSim: a simulation called _exit(4) (seed 77 · "))
    }
}

/// Runs a body in a simulation with a name, as tests and sweeps do.
func named(
    seed: UInt64,
    configuration: Simulation.Configuration = .init(),
    _ body: @escaping @Sendable () async throws -> Void
) throws {
    try withNamedRun("the test A/b", seed: seed, reproduction: "LENSSIM_RECIPE='seed=\(seed)' swift test") {
        try Simulation(seed: seed, configuration: configuration).run(body)
    }
}

@inline(never) private func leave(_ code: Int32) { exit(code) }

private func crash() { if unsafe getenv("PATH") != nil { abort() } }

private func leaveQuickly(_ code: Int32) { quick_exit(code) }

private func leaveAtOnce(_ code: Int32) { _exit(code) }

@inline(never) private func depth(_ level: Int) -> Int {
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 512) { words in
        unsafe words[0] = level
        return unsafe depth(words[0] + 1) + words[0]
    }
}

@unsafe private func runOnPlainThread(_ body: @escaping @Sendable () throws -> Void) {
    final class Box: Sendable {
        let body: @Sendable () throws -> Void
        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    }
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { context in
            guard let context = unsafe context else { return nil }
            try? unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
            return nil
        },
        Unmanaged.passRetained(Box(body)).toOpaque()
    )
}

extension String {
    fileprivate func components(_ separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
