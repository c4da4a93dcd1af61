import Foundation
import Simulation

/// Gives a value for each of many seeds, made in worker processes.
///
/// For what is no ``Program``: workers are as those of a ``Sweep``, forked from this process, and run seeds one after the other.
public struct SeedSweep<Value: Codable & Sendable>: Sendable {
    /// The seeds.
    public var seeds: ClosedRange<UInt64>
    /// How many workers run at once, at least 1.
    public var jobs: Int
    /// Makes the value of a seed, in a worker.
    public var value: @Sendable (UInt64) -> Value
    /// Makes the value of a seed whose run has ended its worker, by a crash, an exit, a hang, or a wait that cannot end.
    public var ended: @Sendable (UInt64, Failure) -> Value
    /// Asked now and then, on the thread that sweeps: whether somebody wants it to end with what it has.
    public var isStopped: @Sendable () -> Bool = { false }

    /// Makes a sweep.
    public init(
        seeds: ClosedRange<UInt64>,
        jobs: Int,
        value: @escaping @Sendable (UInt64) -> Value,
        ended: @escaping @Sendable (UInt64, Failure) -> Value
    ) {
        precondition(jobs > 0, "a sweep needs a worker")
        self.seeds = seeds
        self.jobs = jobs
        self.value = value
        self.ended = ended
    }

    /// Runs the seeds; blocks the calling thread.
    ///
    /// - Parameter each: Called with each value, in the order of the seeds, on the calling thread; returns whether the sweep
    ///   goes on.
    /// - Throws: ``ForkError`` when a process cannot be made.
    public func run(_ each: (UInt64, Value) -> Bool) throws(ForkError) {
        shareSymbolsWithForks()
        var run = SeedSweepRun(self)
        try run.runAll(each)
    }
}

/// A line that a worker writes; the seed is counted from the first.
private struct SeedLine<Value: Codable>: Codable {
    enum End: Codable {
        case value(Value)
        case ended(Failure)
    }

    var seed: UInt64
    var end: End
}

private struct SeedSweepRun<Value: Codable & Sendable> {
    private let sweep: SeedSweep<Value>
    private let shared: SharedSeeds
    /// By number; `nil` where there is none.
    private var workers: [ChildProcess?]
    /// The values of seeds that earlier ones are awaited for; seeds are counted from the first.
    private var early: [UInt64: Value] = [:]
    private var awaited: UInt64 = 0

    init(_ sweep: SeedSweep<Value>) {
        self.sweep = sweep
        shared = SharedSeeds(sweep.seeds, jobs: sweep.jobs)
        workers = Array(repeating: nil, count: sweep.jobs)
    }

    mutating func runAll(_ each: (UInt64, Value) -> Bool) throws(ForkError) {
        while true {
            if sweep.isStopped() { shared.stop() }
            for number in workers.indices where workers[number] == nil && shared.hasSeeds {
                workers[number] = try worker(number)
            }
            let running = workers.indices.filter { workers[$0] != nil }
            if running.isEmpty { return }
            for index in ChildProcess.waitForAny(running.compactMap { workers[$0] }) { read(running[index]) }
            while let value = early.removeValue(forKey: awaited) {
                awaited += 1
                if each(sweep.seeds.lowerBound + (awaited - 1), value) { continue }
                shared.stop()
                return endWorkers()
            }
        }
    }

    private func worker(_ number: Int) throws(ForkError) -> ChildProcess {
        try ChildProcess { [sweep, shared] output in
            SeedWorker(sweep, shared, number: number, output: output).runAndExit()
        }
    }

    private mutating func read(_ number: Int) {
        guard let worker = workers[number] else { return }
        guard let lines = worker.lines() else { return reap(number) }
        for line in lines {
            guard let line = try? JSONDecoder().decode(SeedLine<Value>.self, from: line) else { continue }
            switch line.end {
            case .value(let value): early[line.seed] = value
            case .ended(let failure):
                early[line.seed] = sweep.ended(sweep.seeds.lowerBound + line.seed, failure)
            }
        }
    }

    private mutating func reap(_ number: Int) {
        guard let end = workers[number]?.end() else { return }
        workers[number] = nil
        guard let seed = shared[worker: number]?.seed else { return }
        shared[worker: number] = nil
        guard early[seed] == nil, seed >= awaited else { return }
        let failure = UnexpectedEnd(end).map { Failure($0) } ?? Failure(LostResult())
        early[seed] = sweep.ended(sweep.seeds.lowerBound + seed, failure)
    }

    private mutating func endWorkers() {
        for number in workers.indices {
            workers[number]?.kill()
            _ = workers[number]?.end()
            workers[number] = nil
        }
    }
}

/// A process of a sweep.
@safe private final class SeedWorker<Value: Codable & Sendable>: LosesThreads, @unchecked Sendable {
    // Invariant that makes this Sendable: a worker has one thread that runs; the watchdog and the thread that reports a crash
    // use this only while that one hangs or has crashed.
    private let sweep: SeedSweep<Value>
    private let shared: SharedSeeds
    private let number: Int
    private let output: Int32
    private let memory: MemoryBound
    private var seed: UInt64 = 0

    init(_ sweep: SeedSweep<Value>, _ shared: SharedSeeds, number: Int, output: Int32) {
        self.sweep = sweep
        self.shared = shared
        self.number = number
        self.output = output
        memory = MemoryBound(jobs: sweep.jobs)
    }

    func runAndExit() -> Never {
        let ends = ForkedEnd { [self] failure, _, _ in write(.ended(Failure(failure))) }
        ends.install()
        LoopThreadOwner.with(self) {
            while let block = shared.takeBlock(fitting: 1) {
                seed = block.lowerBound
                shared[worker: number] = .init(seed: seed, undelivered: seed, last: seed)
                write(.value(sweep.value(sweep.seeds.lowerBound + seed)))
                if memory.isExceeded { return }
            }
        }
        withExtendedLifetime(ends) {}
        leaveWorker()
    }

    func lose(_ simulation: Simulation, _ error: SimulationError) {
        write(.ended(Failure(error)))
        leaveWorker()
    }

    private func write(_ end: SeedLine<Value>.End) { writeLine(SeedLine(seed: seed, end: end), to: output) }
}
