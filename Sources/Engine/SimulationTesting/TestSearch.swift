import Exploration
import Foundation
import Simulation

/// Runs the seeds of one test, and makes failing runs small.
struct TestSearch {
    /// One kind of failure.
    struct Found: Sendable {
        /// The run of the lowest seed.
        var run: SweepResult.FailedRun
        /// What else is known of it; `nil` where it was not shrunk, or does not fail again.
        var explanation: FailureExplanation?
        /// Whether it fails only where other seeds run at the same time, or have run before.
        var needsOthers = false

        /// What to say of a run that failed only because of others; `nil` for any other failure.
        func interference(of test: String, _ plan: SeedPlan) -> String? {
            guard needsOthers else { return nil }
            return
                "seed \(run.recipe.seed) failed while others ran, and did not alone, nor did any seed one by one: the test shares something between its runs, such as a static variable\n  \(run.failure)\n  reproduce: LENSSIM_SEEDS=\(plan.seeds) swift test --filter \(TestFilter.argument(for: test))"
        }
    }

    /// What a search has found.
    struct Outcome: Sendable {
        var result: SweepResult
        /// By seed.
        var failures: [Found] = []
    }

    /// Kinds of failures that are made small, where a search goes on after the first.
    private static let explainedKinds = 10

    let program: Program
    let plan: SeedPlan
    let strategy: Strategy
    /// How many seeds run at once, whatever the plan says; `nil` where that decides.
    let jobs: Int?
    /// Asked between seeds, on any thread.
    let isStopped: @Sendable () -> Bool

    /// Runs the search; blocks the calling thread, whose task-local values all runs inherit.
    ///
    /// - Throws: ``ForkError`` when a run wants a process and there is none.
    func run() throws -> Outcome {
        guard let part = plan.part else {
            return Outcome(result: SweepResult(program: program.name, strategy: strategy))
        }
        return try Cores.process.with(upTo: jobs ?? plan.jobs ?? .max) { free in
            let cores = jobs ?? plan.jobs ?? free
            // One less than there are seeds, so that all of them can be counted.
            let others = part.upperBound - part.lowerBound
            return Result { try run(part, jobs: Int(min(UInt64(cores) - 1, others)) + 1) }
        }.get()
    }

    private func run(_ part: ClosedRange<UInt64>, jobs: Int) throws -> Outcome {
        let result = try sweep(part, jobs: jobs)
        let kinds = Self.kinds(of: result)
        if let lonely = kinds.first, jobs > 1, !plan.isolates, program.run(lonely.recipe).failure == nil {
            // Seeds that run at the same time disturb each other, by static variables for example.
            let sequential = try run(part, jobs: 1)
            guard sequential.failures.isEmpty else { return sequential }
            return Outcome(result: result, failures: [Found(run: lonely, needsOthers: true)])
        }
        var outcome = Outcome(result: result)
        for (number, failed) in kinds.prefix(plan.keepsGoing ? kinds.count : 1).enumerated() {
            var found = Found(run: failed)
            // A run that hangs takes its whole time for each try, and leaves nothing to look at.
            if plan.shrinks, number < Self.explainedKinds, failed.failure.ending != .hang {
                let isIsolated = failed.failure.endsProcess
                found.explanation = FailureExplanation(
                    program,
                    failed.recipe,
                    limit: plan.shrinkingLimit,
                    isIsolated: isIsolated
                )
            }
            outcome.failures.append(found)
        }
        return outcome
    }

    /// The first run of each kind of failure, by seed.
    private static func kinds(of result: SweepResult) -> [SweepResult.FailedRun] {
        result.failures.values.compactMap(\.runs.first).sorted {
            ($0.recipe.seed, $0.failure.fingerprint) < ($1.recipe.seed, $1.failure.fingerprint)
        }
    }

    private func sweep(_ part: ClosedRange<UInt64>, jobs: Int) throws -> SweepResult {
        if let recipe = plan.recipe {
            var result = SweepResult(program: program.name, strategy: recipe.strategy)
            result.add(program.run(recipe))
            return result
        }
        let start = ContinuousClock.now
        var sweep = Sweep(
            program,
            strategy: strategy,
            seeds: part,
            jobs: jobs,
            limit: plan.limit,
            keepsGoing: plan.keepsGoing,
            plan: plan.plan
        )
        sweep.stalls = plan.stalls == .drawn
        sweep.isStopped = isStopped
        sweep.probingSeed = plan.seeds.lowerBound
        if plan.isolates { return try ForkedSweep(sweep).run() }
        var result = SweepResult(program: program.name, strategy: strategy)
        // The first seed of the whole search says how long the tasks are, so that all parts know the same.
        let first = plan.seeds.lowerBound
        let run = program.run(sweep.recipe(seed: first))
        sweep.horizon = run.report?.longestTask ?? 0
        if part.lowerBound == first {
            result.add(run)
            result.cover(first...first)
            let isEnough = run.failure != nil && !plan.keepsGoing
            guard !isEnough, first < part.upperBound else { return result }
            sweep.seeds = first + 1...part.upperBound
        }
        if let limit = plan.limit { sweep.limit = max(.zero, limit - (ContinuousClock.now - start)) }
        let threads = TaskThreads<SweepResult>()
        sweep.run(on: { threads.start($0) }, onEnd: { threads.end(with: $0) })
        SweepResult.mergeParts(threads.wait(), into: &result)
        return result
    }
}

extension SweepResult {
    /// Says on standard error what a search that was given a time has done; otherwise it would look like any passing test.
    func reportSuccess(of test: String, after start: ContinuousClock.Instant) {
        let seconds = (10 * ((ContinuousClock.now - start) / .seconds(1))).rounded() / 10
        let line = "LensSim: \(test): \(runs) \(runs == 1 ? "seed" : "seeds") in \(seconds) s, no failure\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
