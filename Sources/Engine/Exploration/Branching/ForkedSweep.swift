import CSimulation
import Foundation
import Simulation

/// Runs each seed in a process of its own, and looks at several futures of interesting moments.
///
/// A process of its own keeps static variables of one seed from the next, and turns a crash of the program into a
/// failure with its signal. At the first hit of each `sometimes` and `branchPoint` of a run the process is forked, and
/// ``futures`` further futures are explored from there, each with random numbers of its own; they may branch again. The recipe of
/// a branch leads there without any fork.
///
/// The forks are made by one thread, which must be the only one that runs Swift code in this process meanwhile.
public struct ForkedSweep: Sendable {
    /// What is run, how, and from which seeds; its threads become processes.
    public var sweep: Sweep
    /// Futures that are explored from each moment, beside the one that happens anyway; 0 for none.
    public var futures: Int
    /// Branches that one seed may make in all.
    public var budget: Int

    /// Real time after which the process of a seed that has reported nothing is ended.
    ///
    /// A step that hangs ends its process earlier, and is a failure of its run: see
    /// `Simulation.Configuration.stepTimeout`.
    public var patience = Duration.seconds(120)

    /// Makes a sweep in processes.
    public init(_ sweep: Sweep, futures: Int = 0, budget: Int = 200) {
        precondition(futures >= 0 && budget >= 0, "neither futures nor a budget can be negative")
        self.sweep = sweep
        self.futures = futures
        self.budget = budget
    }

    /// Runs the sweep to its end; blocks the calling thread.
    ///
    /// - Throws: ``ForkError`` when a process cannot be made.
    public func run(onProgress: (Sweep.Progress) -> Void = { _ in }) throws(ForkError) -> SweepResult {
        shareSymbolsWithForks()
        if sweep.needsHorizon {
            var measured = self
            let (horizon, ended) = try SeedProcess.horizon(of: self)
            measured.sweep.horizon = horizon
            var result = try measured.runSeeds(onProgress: onProgress)
            // A run that has ended its process is a finding of the part that has its seed.
            if let ended, sweep.seeds.contains(sweep.probingSeed) { result.note(ended) }
            return result
        }
        return try runSeeds(onProgress: onProgress)
    }

    private func runSeeds(onProgress: (Sweep.Progress) -> Void) throws(ForkError) -> SweepResult {
        var whole = SweepResult(
            program: sweep.program.name,
            strategy: sweep.strategy,
            expects: sweep.program.expects
        )
        let end = sweep.limit.map { ContinuousClock.now + $0 }
        var running: [SeedProcess] = []
        var next: UInt64? = sweep.seeds.lowerBound
        // Results go into the whole in the order of the seeds; those that came early wait.
        var early: [UInt64: SweepResult] = [:]
        var awaited = sweep.seeds.lowerBound
        var lowestFailure: UInt64?
        var lastReport = ContinuousClock.now
        while true {
            let mayStart =
                lowestFailure == nil && !sweep.isStopped() && end.map { ContinuousClock.now < $0 } ?? true
            while running.count < sweep.jobs, mayStart, let seed = next {
                running.append(try SeedProcess(seed: seed, of: self) { $0.runAndExit(seed: seed) })
                next = seed < sweep.seeds.upperBound ? seed + 1 : nil
            }
            if running.isEmpty { break }
            for process in running { process.end(ifSilentFor: patience) }
            for index in SeedProcess.waitForAny(running).reversed() {
                if running[index].read() { continue }
                let process = running.remove(at: index)
                let part = process.result(of: self)
                early[process.seed] = part
                if !part.failures.isEmpty, !sweep.keepsGoing {
                    lowestFailure = min(lowestFailure ?? .max, process.seed)
                }
            }
            while awaited <= lowestFailure ?? .max, let part = early.removeValue(forKey: awaited) {
                SweepResult.mergeParts(part, into: &whole)
                if awaited == .max { break }
                awaited += 1
            }
            if ContinuousClock.now - lastReport > .milliseconds(100) {
                lastReport = .now
                onProgress(whole.progress)
            }
        }
        return whole
    }
}

/// Why a process could not be made.
public struct ForkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the system said.
    public var code: Int32

    /// What was tried, what came back, what to do.
    public var description: String {
        "a process for a seed could not be made: \(unsafe String(cString: strerror(code))); try fewer --jobs"
    }
}

/// The process of one seed, with all its branches.
private struct SeedProcess {
    let seed: UInt64
    private let process: Int32
    private let output: Int32
    private var received: [UInt8] = []
    private var lastWord = ContinuousClock.now

    /// How long the tasks of a program are; 0 where the run that tells ended its process, which is given too.
    static func horizon(of sweep: ForkedSweep) throws(ForkError) -> (steps: Int, ended: ForkedRunResult?) {
        let recipe = sweep.sweep.probingRecipe
        var process = try SeedProcess(seed: recipe.seed, of: sweep) { $0.measureAndExit() }
        while process.read() {}
        close(process.output)
        var status: Int32 = 0
        while unsafe waitpid(process.process, &status, 0) < 0, errno == EINTR {}
        let decoder = JSONDecoder()
        if let steps = try? decoder.decode(Int.self, from: Data(process.received)) { return (steps, nil) }
        if let run = try? decoder.decode(ForkedRunResult.self, from: Data(process.received)) {
            // An error ends no process, and is found by the seeds themselves.
            return (0, run.failure?.endsProcess == true ? run : nil)
        }
        return (0, UnexpectedEnd(status).map { ForkedRunResult(recipe, failure: Failure($0)) })
    }

    init(
        seed: UInt64,
        of sweep: ForkedSweep,
        _ run: (ForkedRun) -> Never
    ) throws(ForkError) {
        self.seed = seed
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw ForkError(code: errno) }
        let child = csim_fork()
        if child == 0 {
            close(ends[0])
            run(ForkedRun(sweep: sweep, output: ends[1]))
        }
        let code = errno
        close(ends[1])
        guard child > 0 else {
            close(ends[0])
            throw ForkError(code: code)
        }
        process = child
        output = ends[0]
    }

    /// Waits until some have something to read, or have ended; gives their indices, ascending.
    static func waitForAny(_ processes: [SeedProcess]) -> [Int] {
        var wanted = processes.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&wanted, nfds_t(wanted.count), 100)
        return wanted.indices.filter { wanted[$0].revents != 0 }
    }

    /// Ends a process that hangs, with its branches.
    func end(ifSilentFor patience: Duration) {
        if ContinuousClock.now - lastWord > patience { kill(process, SIGKILL) }
    }

    /// Reads what there is; `false` at the end.
    mutating func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(output, &buffer, buffer.count)
        if count > 0 {
            received += buffer[..<count]
            lastWord = .now
        }
        return count > 0 || (count < 0 && errno == EINTR)
    }

    /// What all its runs gave; called after the end.
    func result(of sweep: ForkedSweep) -> SweepResult {
        close(output)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        var result = SweepResult(program: sweep.sweep.program.name, strategy: sweep.sweep.strategy)
        result.cover(seed...seed)
        let decoder = JSONDecoder()
        for line in received.split(separator: UInt8(ascii: "\n")) {
            // A line that is cut off belongs to a process that has crashed, which its parent reports.
            if let run = try? decoder.decode(ForkedRunResult.self, from: Data(line)) { result.add(run) }
        }
        if let end = UnexpectedEnd(status) {
            result.add(ForkedRunResult(sweep.sweep.recipe(seed: seed), failure: Failure(end)))
        }
        return result
    }
}

/// One run in a forked process, which may become several.
@safe private final class ForkedRun: LosesThreads, @unchecked Sendable {
    // Invariant that makes this Sendable: a forked process has one thread that runs; the watchdog and the thread that reports
    // a crash use this only while that one hangs or has crashed.
    private let sweep: ForkedSweep
    private let output: Int32
    /// Branches that all processes of this seed have made together.
    private let spent: UnsafeMutablePointer<Int>
    private var recipe = Recipe(seed: 0)
    private var seen: Set<String> = []

    init(sweep: ForkedSweep, output: Int32) {
        self.sweep = sweep
        self.output = output
        let flags = MAP_SHARED | MAP_ANONYMOUS
        let page = unsafe mmap(nil, MemoryLayout<Int>.size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let page = unsafe page, unsafe page != MAP_FAILED else {
            preconditionFailure("no memory to share")
        }
        unsafe spent = page.bindMemory(to: Int.self, capacity: 1)
    }

    func runAndExit(seed: UInt64) -> Never {
        recipe = sweep.sweep.recipe(seed: seed)
        withReportedEnd {
            let result = sweep.sweep.program.run(recipe) { configuration in
                guard sweep.futures > 0 else { return }
                configuration.onBranchPoint = { [self] simulation, point in branch(simulation, point) }
            }
            write(ForkedRunResult(result, recipe: recipe))
        }
    }

    func lose(_ simulation: Simulation, _ error: SimulationError) {
        write(ForkedRunResult(recipe, failure: Failure(error), at: simulation.position))
        _exit(UnexpectedEnd.expectedCode)
    }

    /// Reports how long the tasks of the program are.
    func measureAndExit() -> Never {
        recipe = sweep.sweep.probingRecipe
        withReportedEnd { writeLine(sweep.sweep.measuredHorizon(), to: output) }
    }

    /// Calls `body` as the owner of this thread, and ends the process.
    private func withReportedEnd(_ body: () -> Void) -> Never {
        let ends = ForkedEnd { [self] failure, position, _ in
            write(ForkedRunResult(recipe, failure: Failure(failure), at: position))
        }
        ends.install()
        LoopThreadOwner.with(self, body)
        withExtendedLifetime(ends) {}
        _exit(UnexpectedEnd.expectedCode)
    }

    private func branch(_ simulation: Simulation, _ point: String) {
        guard seen.insert(point).inserted else { return }
        for future in 1...UInt64(sweep.futures) {
            guard unsafe spent.pointee < sweep.budget else { return }
            unsafe spent.pointee += 1
            let branch = Recipe.Branch(point: point, future: future)
            var status: Int32 = 0
            let child = simulation.waitingOnPurpose {
                let child = csim_fork()
                while child > 0, unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
                return child
            }
            // Without a process there is one future less.
            if child < 0 { return }
            if child == 0 {
                recipe.branches.append(branch)
                simulation.branch(to: branch)
                return
            }
            guard let end = UnexpectedEnd(status) else { continue }
            var ended = recipe
            ended.branches.append(branch)
            write(ForkedRunResult(ended, failure: Failure(end)))
        }
    }

    /// No other process of this seed writes meanwhile, since its parent waits for it.
    private func write(_ result: ForkedRunResult) { writeLine(result, to: output) }
}

/// What a run of another process reports.
struct ForkedRunResult: Codable {
    var recipe: Recipe
    var failure: Failure?
    var steps: Int
    var nanoseconds: Int64
    var hash: UInt64
    var checks: [CheckRecord]

    init(_ result: RunResult, recipe: Recipe) {
        self.recipe = recipe
        failure = result.failure
        steps = result.steps
        nanoseconds = result.time.nanoseconds
        hash = result.order
        checks = result.report?.checks ?? []
    }

    init(_ recipe: Recipe, failure: Failure, at position: Position? = nil) {
        self.recipe = recipe
        self.failure = failure
        steps = position?.step ?? 0
        nanoseconds = position?.time.nanoseconds ?? 0
        hash = 0
        checks = []
    }
}
