import Foundation
import Simulation

/// Runs the seeds of a sweep in workers, and gathers what they give in the order of the seeds.
struct WorkerSweep {
    /// What workers have said of dependence on earlier runs.
    struct Statics {
        /// Static variables that earlier seeds had initialised, by the seed that failed.
        var initialised: [UInt64: [String]] = [:]
        /// A run that took another course when it was made again, after which the sweep has ended; the lowest seed's.
        var dependence: StaticsDependence?
        /// Runs that have to be the same in a fresh process.
        var samples: [Repetition] = []
    }

    /// A process, and what is known of it.
    private struct Worker {
        var process: ChildProcess
        /// The seed that it was seen to run, counted from the first of the sweep, and since when.
        var seed: UInt64?
        var since = ContinuousClock.now
        /// The run that has ended it.
        var ended: ForkedRunResult?
    }

    private let sweep: Sweep
    private let shared: SharedSeeds
    private let end: ContinuousClock.Instant?
    private let start = ContinuousClock.now
    private let decoder = JSONDecoder()
    /// By number; `nil` where there is none.
    private var workers: [Worker?]
    /// Blocks of workers that have ended in the middle of them.
    private var left: [ClosedRange<UInt64>] = []
    private var whole: SweepResult
    /// The first seed that is not in ``whole``, counted from the first of the sweep.
    private var awaited: UInt64 = 0
    /// Later parts, by their first seeds.
    private var early: [UInt64: SweepResult] = [:]
    private var statics = Statics()

    /// Runs all seeds, or as many as there is time for.
    static func run(
        _ sweep: Sweep,
        until end: ContinuousClock.Instant?,
        _ onProgress: (Sweep.Progress) -> Void
    ) throws(ForkError) -> (SweepResult, Statics) {
        var run = WorkerSweep(sweep, until: end)
        try run.runAll(onProgress)
        return (run.result(), run.statics)
    }

    private init(_ sweep: Sweep, until end: ContinuousClock.Instant?) {
        self.sweep = sweep
        self.end = end
        shared = SharedSeeds(sweep.seeds, jobs: sweep.jobs)
        workers = Array(repeating: nil, count: sweep.jobs)
        whole = empty(sweep)
    }

    private mutating func runAll(_ onProgress: (Sweep.Progress) -> Void) throws(ForkError) {
        var lastReport = ContinuousClock.now
        while true {
            if sweep.isStopped() || end.map({ ContinuousClock.now >= $0 }) ?? false { shared.stop() }
            if let limit = sweep.workLimit, work >= limit { shared.stop() }
            try startWorkers()
            let running = workers.indices.filter { workers[$0] != nil }
            if running.isEmpty { return }
            for index in ChildProcess.waitForAny(running.compactMap { workers[$0]?.process }) {
                read(running[index])
            }
            noteSeeds()
            endSilentWorkers()
            if ContinuousClock.now - lastReport > .milliseconds(100) {
                lastReport = .now
                onProgress(whole.progress)
            }
        }
    }

    /// Processor time of the workers that there are.
    private var work: Duration { workers.reduce(.zero) { $0 + ($1?.process.processorTime ?? .zero) } }

    // MARK: Workers

    /// How many workers there may be now.
    ///
    /// A process that is new has much to look up in its first run: for a few quick seeds one is enough. Where the first seed
    /// measures for the others, it comes before them.
    private var mostWorkers: Int {
        if sweep.measuresByFirstSeed, awaited == 0, shared[worker: 0]?.seed ?? 0 == 0 { return 1 }
        return ContinuousClock.now - start < .milliseconds(50) ? 1 : workers.count
    }

    private mutating func startWorkers() throws(ForkError) {
        let (isStopped, lowest) = (shared.isStopped, shared.lowestFailure)
        left.removeAll { isStopped || $0.lowerBound >= lowest }
        for number in workers.indices.prefix(mostWorkers) where workers[number] == nil {
            var block = left.popLast()
            if sweep.isolation == .seed {
                block = block ?? shared.takeBlock(fitting: 1)
                if let some = block, some.lowerBound < some.upperBound {
                    left.append(some.lowerBound + 1...some.upperBound)
                    block = some.lowerBound...some.lowerBound
                }
            }
            if block == nil, sweep.isolation == .seed || !shared.hasSeeds { return }
            let blocks = block.map { [$0] } ?? []
            shared[worker: number] = nil
            let process = try ChildProcess { [sweep, shared] output in
                SweepWorker(sweep, shared, number: number, output: output).runAndExit(blocks)
            }
            workers[number] = Worker(process: process)
        }
    }

    private mutating func read(_ number: Int) {
        guard let lines = workers[number]?.process.lines() else { return reap(number) }
        for line in lines {
            // A line that is cut off belongs to a process that has crashed again while it reported.
            switch try? decoder.decode(WorkerLine.self, from: line) {
            case .part(let first, let part): gather(part, from: first)
            case .branch(let run): whole.add(run)
            case .ended(let run): workers[number]?.ended = run
            case .statics(let seed, let names): statics.initialised[seed] = names
            case .dependence(let dependence):
                if dependence.recipe.seed < statics.dependence?.recipe.seed ?? .max {
                    statics.dependence = dependence
                }
            case .sample(let run): statics.samples.append(run)
            case nil: break
            }
        }
    }

    private func endSilentWorkers() {
        for number in workers.indices {
            guard let worker = workers[number], let seed = shared[worker: number]?.seed, worker.seed == seed,
                ContinuousClock.now - worker.since > sweep.patience
            else { continue }
            worker.process.kill()
        }
    }

    private mutating func noteSeeds() {
        for number in workers.indices {
            guard workers[number] != nil, let seed = shared[worker: number]?.seed,
                workers[number]?.seed != seed
            else { continue }
            workers[number]?.seed = seed
            workers[number]?.since = .now
        }
    }

    /// A worker has ended: takes what it has not done.
    private mutating func reap(_ number: Int) {
        guard let worker = workers[number] else { return }
        workers[number] = nil
        let end = UnexpectedEnd(worker.process.end())
        guard let state = shared[worker: number] else { return }
        shared[worker: number] = nil
        guard end != nil || worker.ended != nil else {
            if state.undelivered <= state.last { left.append(state.undelivered...state.last) }
            return
        }
        // What it had not delivered of earlier seeds is run again.
        if state.undelivered < state.seed { left.append(state.undelivered...state.seed - 1) }
        if state.seed < state.last { left.append(state.seed + 1...state.last) }
        let seed = sweep.seeds.lowerBound + state.seed
        guard
            let run = worker.ended
                ?? end.map({ ForkedRunResult(sweep.recipe(seed: seed), failure: Failure($0)) })
        else { return }
        if !sweep.keepsGoing { shared.noteFailure(state.seed) }
        var part = empty(sweep)
        part.add(run)
        part.cover(seed...seed)
        gather(part, from: state.seed)
    }

    // MARK: Results

    private mutating func gather(_ part: SweepResult, from first: UInt64) {
        early[first] = part
        // Above the lowest failure nothing counts.
        while awaited <= shared.lowestFailure, let next = early.removeValue(forKey: awaited) {
            SweepResult.mergeParts(next, into: &whole)
            guard let last = next.seeds.last?.upperBound, last < sweep.seeds.upperBound else { return }
            awaited = last - sweep.seeds.lowerBound + 1
        }
    }

    private func result() -> SweepResult {
        var whole = whole
        // Where the clock has ended blocks there are gaps.
        for (first, part) in early.sorted(by: { $0.key < $1.key }) where first <= shared.lowestFailure {
            SweepResult.mergeParts(part, into: &whole)
        }
        return whole
    }
}

private func empty(_ sweep: Sweep) -> SweepResult {
    SweepResult(program: sweep.program.name, strategy: sweep.strategy, expects: sweep.program.expects)
}
