import Foundation
import Simulation
import Testing

/// Does something on a thread of the real world, and waits for its end.
private func onRealThread(_ body: @escaping @Sendable () -> Void) {
    final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        },
        work.toOpaque()
    )
    pthread_join(thread, nil)
}

private actor Waiter {
    /// Waits on the actor for what a real thread resumes.
    func wait() async -> Bool {
        await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            onRealThread { unsafe continuation.resume() }
        }
        return Simulation.current != nil
    }
}

@Suite("Tasks that a real thread resumes")
struct ForeignResumeTests {
    private func run(allowed: Set<Escape.Kind>, _ body: @escaping @Sendable () async throws -> Bool) throws
        -> (value: Bool, report: SimulationReport)
    {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = allowed
        return try Simulation(seed: 1, configuration: configuration).runReporting(body)
    }

    /// Resumed once it waits.
    @Sendable private static func wait() async -> Bool {
        let kept = Shared<CheckedContinuation<Void, Never>?>(nil)
        let waiter = Task {
            await withCheckedContinuation { continuation in kept.withLock { $0 = continuation } }
            return Simulation.current != nil
        }
        while kept.withLock({ $0 == nil }) { await Task.yield() }
        onRealThread { kept.withLock { $0?.resume() } }
        return await waiter.value
    }

    @Test func `they are named`() throws {
        let error = #expect(throws: SimulationError.self) { try run(allowed: [.thread], Self.wait) }
        guard case .escaped(let escapes, _, _) = error else {
            Issue.record("not an escape: \(String(describing: error))")
            return
        }
        #expect(escapes.map(\.kind) == [.foreignResume])
        #expect(escapes.first?.task == 2)
        #expect(
            escapes.first?.callers.contains { $0.file?.hasSuffix("ForeignResumeTests.swift") == true } == true
        )
    }

    @Test func `a sleep that a real thread cancels ends at once, with the usual error`() throws {
        let (ended, report) = try run(allowed: [.thread, .foreignResume]) {
            let start = ContinuousClock.now
            let sleeper = Task { try await Task.sleep(for: .seconds(100)) }
            try await Task.sleep(for: .seconds(1))
            onRealThread { sleeper.cancel() }
            guard case .failure(let error) = await sleeper.result else { return false }
            return error is CancellationError && ContinuousClock.now - start == .seconds(1)
        }
        #expect(ended)
        #expect(report.escapes.contains { $0.function == "swift_task_cancel" })
    }

    @Test func `a task that has outlived its simulation may be cancelled`() throws {
        for seed in 1...100 as ClosedRange<UInt64> {
            let left = try Simulation(seed: seed).run { Task { try? await Task.sleep(for: .seconds(100)) } }
            try Simulation(seed: seed).run {
                left.cancel()
                try await Task.sleep(for: .seconds(1))
            }
            left.cancel()
        }
    }

    @Test func `they go on inside the simulation`() throws {
        #expect(try run(allowed: [.thread, .foreignResume], Self.wait).value)
    }

    @Test func `they do so where the task waits on an actor`() throws {
        let (inside, report) = try run(allowed: [.thread, .foreignResume]) { await Waiter().wait() }
        #expect(inside)
        #expect(report.escapes.map(\.kind).contains(.foreignResume))
    }

    @Test func `who waits for a task of the platform is let in too`() throws {
        let escapes = try run(allowed: Set(Escape.Kind.allCases)) {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let reader = Task { await stream.contains(1) }
            await Task.yield()
            onRealThread {
                continuation.yield(1)
                continuation.finish()
            }
            return await reader.value && Simulation.current != nil
        }
        #expect(escapes.value)
    }

    private final class Kept: Error {}

    // Invariant that makes it Sendable: written before another thread is started, which reads it.
    @safe private final class Waiting: @unchecked Sendable {
        var continuation: UnsafeContinuation<Void, any Error>?
    }

    @Test func `what comes after the end of their simulation is given up with its error`() throws {
        let waiting = Waiting()
        #expect(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                try await unsafe withUnsafeThrowingContinuation { unsafe waiting.continuation = $0 }
            }
        }
        weak var kept: Kept?
        do {
            let error = Kept()
            kept = error
            unsafe waiting.continuation?.resume(throwing: error)
        }
        #expect(kept == nil)
    }

    @Test func `after the end of their simulation they do not run at all`() async throws {
        let kept = Shared<CheckedContinuation<Void, Never>?>(nil)
        let ran = Shared(false)
        #expect(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                await withCheckedContinuation { continuation in kept.withLock { $0 = continuation } }
                ran.withLock { $0 = true }
            }
        }
        kept.withLock { $0?.resume() }
        await Task.detached {}.value
        #expect(!ran.withLock { $0 })
    }
}
