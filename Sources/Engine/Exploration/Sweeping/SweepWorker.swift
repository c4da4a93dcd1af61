import CSimulation
import Foundation
import Simulation

/// What a worker writes, a line each.
enum WorkerLine: Codable {
    /// What the seeds from `first` on have given, up to the last that ``SweepResult/seeds`` names.
    case part(first: UInt64, SweepResult)
    /// A run that began at a branch.
    case branch(ForkedRunResult)
    /// The run that ends the worker, which is none of a part.
    case ended(ForkedRunResult)
    /// The static variables that earlier seeds of this worker had initialised when a seed failed.
    case statics(seed: UInt64, [String])
    /// A run that took another course when it was made again, and the static variables that were initialised by then.
    case dependence(StaticsDependence)
    /// A run that is to be made in a fresh process too.
    case sample(Repetition)
}

/// A process of a sweep, which runs seeds one after the other.
@safe final class SweepWorker: LosesThreads, @unchecked Sendable {
    // Invariant that makes this Sendable: a worker has one thread that runs; the watchdog and the thread that reports a crash
    // use this only while that one hangs or has crashed.

    /// Real time that one block should take: so long that handing it out costs little.
    private static let blockTime = Duration.milliseconds(25)

    private var sweep: Sweep
    private let shared: SharedSeeds
    private let number: Int
    private let output: Int32
    private let memory: MemoryBound
    private var branching: Branching?
    /// What has not been delivered, from its first seed on.
    private var part: SweepResult
    private var first: UInt64 = 0
    private var block: ClosedRange<UInt64> = 0...0
    private var recipe = Recipe(seed: 0)
    private var seedsRun = 0
    private var repeated: RepeatedRuns
    /// The run that is being made again, of which nothing counts but whether it is the same.
    private var repetition: Repetition?

    init(_ sweep: Sweep, _ shared: SharedSeeds, number: Int, output: Int32) {
        self.sweep = sweep
        self.shared = shared
        self.number = number
        self.output = output
        memory = MemoryBound(jobs: sweep.jobs)
        repeated = RepeatedRuns(isOn: sweep.isolation == .worker, distance: shared.distance)
        part = SweepResult(program: sweep.program.name, strategy: sweep.strategy)
    }

    /// Runs blocks that others have left, and then further ones.
    func runAndExit(_ blocks: [ClosedRange<UInt64>]) -> Never {
        discardOutput()
        let ends = ForkedEnd { [self] failure, position, _ in
            if let repetition { return tellDependence(repetition, Failure(failure)) }
            tellStatics()
            let run = ForkedRunResult(recipe, failure: Failure(failure), at: position)
            write(recipe.branches.isEmpty ? .ended(run) : .branch(run))
        }
        ends.install()
        LoopThreadOwner.with(self) {
            for block in blocks where run(block) == .retires { return }
            var fitting: UInt64?
            while sweep.isolation == .worker {
                let began = ContinuousClock.now
                guard let block = shared.takeBlock(fitting: fitting) else {
                    _ = areSame(repeated.last.map { [$0] } ?? [])
                    return
                }
                if run(block) == .retires { return }
                let count = Int(clamping: block.upperBound - block.lowerBound) + 1
                let time = max((ContinuousClock.now - began) / count, .nanoseconds(100))
                fitting = UInt64(max(1, Self.blockTime / time))
            }
        }
        withExtendedLifetime(ends) {}
        leaveWorker()
    }

    func lose(_ simulation: Simulation, _ error: SimulationError) {
        if let repetition {
            tellDependence(repetition, Failure(error))
            leaveWorker()
        }
        let result = RunResult(recipe, Failure(error), simulation.report)
        if !recipe.branches.isEmpty {
            write(.branch(ForkedRunResult(result, recipe: recipe)))
            leaveWorker()
        }
        finish(result)
        // The thread holds what the run has locked.
        deliver(upTo: recipe.seed, endsBlock: recipe.seed == seed(block.upperBound))
        leaveWorker()
    }

    // MARK: Running

    private enum End { case goesOn, retires }

    private func seed(_ offset: UInt64) -> UInt64 { sweep.seeds.lowerBound + offset }

    private func run(_ block: ClosedRange<UInt64>) -> End {
        self.block = block
        if sweep.measuresByFirstSeed { sweep.horizon = shared.horizon }
        first = block.lowerBound
        shared[worker: number] = .init(seed: first, undelivered: first, last: block.upperBound)
        for offset in block {
            shared.begin(offset, by: number)
            recipe = sweep.recipe(seed: seed(offset))
            branching = sweep.futures > 0 ? Branching(recipe, sweep) : nil
            let result = sweep.program.run(recipe) { configuration in
                guard let branching else { return }
                configuration.onBranchPoint = { [self] in branch(branching, $0, $1) }
            }
            // The process of a branch counts its own run alone.
            if let branching, !branching.recipe.branches.isEmpty {
                write(.branch(ForkedRunResult(result, recipe: branching.recipe)))
                leaveWorker()
            }
            finish(result)
            if offset == 0, sweep.measuresByFirstSeed {
                sweep.horizon = result.report?.longestTask ?? 0
                shared.horizon = sweep.horizon
            }
            let repetition = Repetition(recipe: recipe, expected: RunOutcome(result))
            guard areSame(repeated.add(repetition)) else { return .retires }
            if repeated.isSample(offset) { write(.sample(repetition)) }
            let isLast = offset == block.upperBound
            // Nothing above the lowest failure counts.
            if isLast || shared.isStopped || offset >= shared.lowestFailure {
                deliver(upTo: seed(offset), endsBlock: true)
                return memory.isExceeded ? .retires : .goesOn
            }
            if seedsRun.isMultiple(of: 64), memory.isExceeded {
                deliver(upTo: seed(offset), endsBlock: false)
                return .retires
            }
        }
        return .goesOn
    }

    /// Counts a run.
    private func finish(_ result: RunResult) {
        part.add(result)
        if result.failure != nil {
            tellStatics()
            if !sweep.keepsGoing { shared.noteFailure(recipe.seed - sweep.seeds.lowerBound) }
        }
        seedsRun += 1
    }

    /// Makes runs again, and says whether the same came of them; otherwise the sweep ends here.
    private func areSame(_ repetitions: [Repetition]) -> Bool {
        for repetition in repetitions {
            self.repetition = repetition
            let result = sweep.program.run(repetition.recipe) { configuration in
                configuration.maximumSteps = min(configuration.maximumSteps, UInt64(repetition.mostSteps))
            }
            guard RunOutcome(result) == repetition.expected else {
                // Where it has not come to its end it says nothing of its failure.
                let isWhole = result.steps < repetition.mostSteps && repetition.expected.failure == nil
                tellDependence(repetition, isWhole ? result.failure : nil)
                return false
            }
        }
        repetition = nil
        return true
    }

    private func branch(_ branching: Branching, _ simulation: Simulation, _ point: String) {
        for ended in branching.branch(simulation, point) { write(.branch(ended)) }
        recipe = branching.recipe
    }

    // MARK: Telling

    private func deliver(upTo last: UInt64, endsBlock: Bool) {
        part.cover(seed(first)...last)
        write(.part(first: first, part))
        part = SweepResult(program: sweep.program.name, strategy: sweep.strategy)
        first = last - sweep.seeds.lowerBound + 1
        shared[worker: number] =
            endsBlock ? nil : .init(seed: first, undelivered: first, last: block.upperBound)
    }

    private func tellStatics() {
        guard seedsRun > 0 else { return }
        let statics = initialisedStatics(exceptBy: recipe.seed)
        if !statics.isEmpty { write(.statics(seed: recipe.seed, statics)) }
    }

    private func tellDependence(_ repetition: Repetition, _ failure: Failure?) {
        shared.stop()
        let statics = initialisedStatics(exceptBy: nil)
        write(
            .dependence(StaticsDependence(recipe: repetition.recipe, failure: failure, initialised: statics))
        )
    }

    private func write(_ line: WorkerLine) { writeLine(line, to: output) }
}

/// Lets this process, and all that are forked from it, know how results are written and read.
///
/// The Swift runtime looks up once what a type can do; a fork knows what its parent has looked up.
package func warmUpResults() {
    var result = SweepResult(program: "", strategy: .portfolio)
    result.add(ForkedRunResult(Recipe(seed: 1), failure: Failure(CancellationError())))
    result.cover(1...1)
    guard let line = try? JSONEncoder().encode(WorkerLine.part(first: 0, result)) else { return }
    _ = try? JSONDecoder().decode(WorkerLine.self, from: line)
}
