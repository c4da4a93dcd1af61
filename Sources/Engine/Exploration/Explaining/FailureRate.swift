package import Simulation

/// In how many of some seeds a program fails in one way.
public struct FailureRate: Sendable, Hashable, Codable {
    /// Seeds that fail in that way.
    public var failures: Int
    /// Seeds that were run.
    public var seeds: Int

    /// Makes a rate.
    public init(failures: Int, seeds: Int) {
        self.failures = failures
        self.seeds = seeds
    }

    /// The seeds by which a program's rate is measured.
    package static let countedSeeds: ClosedRange<UInt64> = 1...1_000

    /// How often the runs of a sweep that went on after failures have failed in one way; `nil` where none was run.
    package init?(of failure: Failure, in result: SweepResult) {
        let seeds = result.seeds.reduce(0) { $0 + Int(clamping: $1.upperBound - $1.lowerBound) + 1 }
        guard seeds > 0 else { return nil }
        self.init(failures: result.failures[failure.fingerprint]?.count ?? 0, seeds: seeds)
    }

    /// Whether nearly every run fails, whatever its order: then no order of two steps is the cause.
    ///
    /// Nearly every one is nine of ten. Fewer than ten runs show nothing.
    public var isNearlyAll: Bool { seeds >= 10 && failures * 10 >= seeds * 9 }
}

extension FailureRate: CustomStringConvertible {
    /// How many of how many, and what follows where it is nearly all.
    public var description: String {
        let count = "in \(failures) of \(seeds) \(seeds == 1 ? "seed" : "seeds")"
        guard isNearlyAll else { return count }
        return
            "\(count), so in \(failures == seeds ? "every" : "nearly every") order: the order of steps is hardly the cause"
    }
}

extension Sweep {
    /// Counts in how many of the first thousand seeds the program fails in one way, or of as many as a second of processor time
    /// suffices for.
    ///
    /// The seeds run as those of the sweep do, in workers of their own: nothing that they do to their process ends the count.
    ///
    /// - Parameter failure: How a run of this sweep has failed.
    /// - Throws: ``ForkError``.
    package func failureRate(of failure: Failure) throws(ForkError) -> FailureRate? {
        var counting = self
        counting.seeds = FailureRate.countedSeeds
        counting.keepsGoing = true
        counting.futures = 0
        // One that hangs, or goes on forever in another order, takes no more time than all others together.
        counting.patience = .seconds(2)
        counting.program.maximumSteps = min(program.maximumSteps ?? .max, 1_000_000)
        // Without workers another seed may end this process: then the failure that was found must not be lost.
        counting.program.title =
            "\(program.title ?? "a run of the program \(program.name)"), run to count the seeds that fail like this: "
            + failure.fingerprint
        counting.workLimit = .seconds(1)
        let end = ContinuousClock.now + .seconds(5)
        return FailureRate(of: failure, in: try counting.count(until: end))
    }

    /// Chooses steps and faults for other seeds as one run has; an order that was written down says nothing about them.
    package mutating func resemble(_ recipe: Recipe) {
        let isWritten = recipe.decisions != nil || recipe.preemptions != nil
        strategy = isWritten ? .portfolio : recipe.strategy
        plan = recipe.plan
        stalls = recipe.stalls
        timing = recipe.timing
    }
}
