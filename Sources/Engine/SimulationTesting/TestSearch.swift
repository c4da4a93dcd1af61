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
    }

    /// What a search has found.
    struct Outcome: Sendable {
        var result: SweepResult
        /// By seed.
        var failures: [Found] = []
    }

    /// Kinds of failures that are made small, where a search goes on after the first.
    private static let explainedKinds = 10
    /// Bytes of a recipe in a report: more than any in the zoo, by far.
    private static let longestRecipe = 4000

    let program: Program
    let plan: SeedPlan
    let strategy: Strategy
    /// What the runs share.
    let isolation: Sweep.Isolation
    /// How many seeds run at once, whatever the plan says; `nil` where that decides.
    let jobs: Int?
    /// Asked between seeds.
    let isStopped: @Sendable () -> Bool

    /// Runs the search; blocks the calling thread, whose task-local values all runs inherit.
    ///
    /// - Throws: ``ForkError`` when a run wants a process and there is none.
    func run() throws -> Outcome {
        guard let part = plan.part else {
            return Outcome(result: SweepResult(program: program.name, strategy: strategy))
        }
        let result = try run(part)
        var outcome = Outcome(result: result)
        let kinds = result.firstRuns
        for (number, failed) in kinds.prefix(plan.keepsGoing ? kinds.count : 1).enumerated() {
            var found = Found(run: failed)
            // Each try of one that takes long would take the whole time again. With LENSSIM_ALL one that was refused is counted,
            // and not looked at.
            let isCounted = WholeProgram.isSimulated && failed.failure.escape != nil
            if plan.shrinks, number < Self.explainedKinds, !failed.failure.takesLong, !isCounted {
                found.explanation = try explanation(of: failed, try rate(of: failed.failure, in: result))
            }
            outcome.failures.append(found)
        }
        return outcome
    }

    /// In how many seeds the test fails in one way; `nil` where the runs take real time, or would end this process.
    private func rate(of failure: Failure, in result: SweepResult) throws -> FailureRate? {
        if plan.keepsGoing, plan.recipe == nil { return FailureRate(of: failure, in: result) }
        if isolation == .none, failure.endsProcess || program.configuration?.pace == .real { return nil }
        var sweep = try sweep(of: FailureRate.countedSeeds)
        if let recipe = plan.recipe { sweep.resemble(recipe) }
        if result.statics != nil { sweep.isolation = .seed }
        return try sweep.failureRate(of: failure)
    }

    /// Makes a failing run small.
    private func explanation(
        of failed: SweepResult.FailedRun,
        _ rate: FailureRate?
    ) throws -> FailureExplanation? {
        let limit = plan.shrinkingLimit
        if isolation == .none {
            return FailureExplanation(
                program,
                failed.recipe,
                rate,
                limit: limit,
                isIsolated: failed.failure.endsProcess
            )
        }
        // All runs in one process, unless they end it or need one of their own.
        for isIsolated in failed.failure.endsProcess ? [true] : [false, true] {
            let child = try ChildProcess { output in
                let explanation = FailureExplanation(
                    program,
                    failed.recipe,
                    rate,
                    limit: limit,
                    isIsolated: isIsolated
                )
                if let explanation { writeLine(explanation, to: output) }
                leaveWorker()
            }
            let line = child.allLines().last
            _ = child.end()
            guard let line, let found = try? JSONDecoder().decode(FailureExplanation.self, from: line) else {
                continue
            }
            // Nobody can paste a line of thousands of decisions; the run that was found has a short one.
            if "\(found.recipe)".utf8.count > Self.longestRecipe { return nil }
            // What is printed must fail in a fresh process.
            let small = SweepResult.FailedRun(recipe: found.recipe, failure: failed.failure)
            if try program.fails(like: small) { return found }
        }
        return nil
    }

    private func run(_ part: ClosedRange<UInt64>) throws -> SweepResult {
        if let recipe = plan.recipe {
            return try SweepResult(of: recipe, program, isolated: isolation != .none)
        }
        return try sweep(of: part).run()
    }

    private func sweep(of part: ClosedRange<UInt64>) throws -> Sweep {
        // One less than there are seeds, so that all of them can be counted.
        let others = part.upperBound - part.lowerBound
        let cores = jobs ?? plan.jobs ?? ProcessInfo.processInfo.activeProcessorCount
        var sweep = Sweep(
            program,
            strategy: strategy,
            seeds: part,
            jobs: Int(min(UInt64(cores) - 1, others)) + 1,
            limit: plan.limit,
            keepsGoing: plan.keepsGoing,
            plan: plan.plan
        )
        sweep.isolation = isolation == .none ? .none : plan.isolates ? .seed : isolation
        sweep.stalls = plan.stalls == .drawn
        sweep.timing = plan.timing
        sweep.isStopped = isStopped
        // The first seed of the whole search says how long the tasks are, so that all parts know the same.
        sweep.probingSeed = plan.seeds.lowerBound
        sweep.measuresByFirstSeed = part.lowerBound == plan.seeds.lowerBound
        if isolation != .none, !sweep.measuresByFirstSeed {
            let first = sweep.recipe(seed: plan.seeds.lowerBound)
            sweep.horizon = try program.longestTask(of: first, isolated: true)
        }
        return sweep
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

/// Prints what the program has printed in the run that failed.
func printOutput(_ text: String) {
    FileHandle.standardError.write(Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
}
