import Foundation
import Glibc
package import Simulation

/// How likely a failure is from moments of its run on.
///
/// A future is a run that is the same up to a moment, and from then on takes any ready step, with other random numbers and other faults of its
/// plan. Of a failure that one step makes inevitable, few futures fail that begin before it, and all that begin after it.
public struct FailureCurve: Sendable, Hashable, Codable {
    /// A moment, and what has become of the futures that begin there.
    public struct Point: Sendable, Hashable, Codable {
        /// How many steps are those of the run.
        public var steps: Int
        /// Futures that fail as the run does.
        public var failures: Int
        /// Futures that were run.
        public var futures: Int

        /// Makes a point.
        public init(steps: Int, failures: Int, futures: Int) {
            (self.steps, self.failures, self.futures) = (steps, failures, futures)
        }

        var share: Double { Double(failures) / Double(futures) }
        var isCertain: Bool { failures == futures }
    }

    /// In the order of their steps; the last one is the end of the run.
    public var points: [Point]

    /// Makes a curve.
    public init(points: [Point]) { self.points = points }

    /// The first moment from which on every future fails, and the one before it; `nil` where that is the beginning.
    public var turn: (before: Point, after: Point)? {
        let possible = points.lastIndex { !$0.isCertain }
        guard let possible, possible + 1 < points.count else { return nil }
        return (points[possible], points[possible + 1])
    }
}

extension FailureCurve: CustomStringConvertible {
    /// From where on the run fails whatever comes, in a sentence.
    public var description: String {
        guard let turn else {
            return
                "whatever is chosen the run fails: every future does that begins after step \(points.first?.steps ?? 0)"
        }
        return
            "\(turn.before.failures) of \(turn.before.futures) futures fail that begin after step \(turn.before.steps), "
            + "and every one that begins after step \(turn.after.steps)"
    }
}

extension Program {
    /// Finds how likely a failure is from moments of its run on, most exactly where that changes most.
    ///
    /// The futures are run in a process of its own, which a crash or the end of the time may end: then the moments count that were finished.
    ///
    /// - Parameters:
    ///   - recipe: A run that fails.
    ///   - futures: How many are run from each moment.
    ///   - limit: How long further moments are looked at, in processor time; in real time five times as long at most.
    /// - Returns: `nil` where the run does not fail again when its decisions are repeated, or makes none.
    /// - Throws: ``ForkError``.
    package func failureCurve(
        of recipe: Recipe,
        futures: Int = 16,
        limit: Duration = .milliseconds(800)
    ) throws(ForkError) -> FailureCurve? {
        shareSymbolsWithForks()
        let child = try ChildProcess { output in
            discardOutput()
            // Whatever ends a future ends the search: what was found so far is written already.
            let ends = ForkedEnd { _, _, _ in }
            ends.install()
            LoopThreadOwner.with(EndingSearch()) {
                var search = CurveSearch(self, recipe, futures: futures)
                let end = ContinuousClock.now + limit * 5
                // What a loaded machine gives the process changes nothing, as long as it gives it something.
                while let curve = search?.next() {
                    writeLine(curve, to: output)
                    if time(of: CLOCK_PROCESS_CPUTIME_ID) >= limit || ContinuousClock.now >= end { break }
                }
            }
            withExtendedLifetime(ends) {}
            leaveWorker()
        }
        let lines = child.allLines()
        _ = child.end()
        return lines.last.flatMap { try? JSONDecoder().decode(FailureCurve.self, from: $0) }
    }
}

/// The end of the search where a future keeps its thread.
private final class EndingSearch: LosesThreads {
    func lose(_ simulation: Simulation, _ error: SimulationError) { leaveWorker() }
}

/// Looks at one moment after the other.
private struct CurveSearch {
    private static let first = 8
    /// A smaller change between two moments is not looked into.
    private static let smallestChange = 0.2

    private let program: Program
    private let recorded: Recipe
    private let decisions: [Decision]
    private let failure: Failure
    private let futures: Int
    private let mostSteps: UInt64
    /// The steps before each decision, and at last those of the whole run.
    private let steps: [Int]
    /// What was found, by the decisions that are those of the run.
    private var found: [Int: FailureCurve.Point] = [:]

    /// `nil` where the run does not fail, or not when its decisions are repeated.
    init?(_ program: Program, _ recipe: Recipe, futures: Int) {
        let run = program.run(recipe, recording: .everything)
        guard let failure = run.failure, var recorded = run.recorded, let trace = run.trace,
            let decisions = recorded.decisions, !decisions.isEmpty
        else { return nil }
        recorded.preemptions = nil
        let places = trace.steps.indices.filter { trace.steps[$0].ready > 1 }
        guard places.count == decisions.count,
            program.run(recorded).failure?.fingerprint == failure.fingerprint
        else { return nil }
        (self.program, self.recorded, self.decisions, self.failure) = (program, recorded, decisions, failure)
        self.futures = futures
        mostSteps = UInt64(max(trace.steps.count, 1_000)) * 4
        steps = places + [trace.steps.count]
        found[decisions.count] = FailureCurve.Point(
            steps: trace.steps.count,
            failures: futures,
            futures: futures
        )
    }

    /// Looks at another moment; `nil` where there is no more to see.
    mutating func next() -> FailureCurve? {
        guard let moment else { return nil }
        found[moment] = FailureCurve.Point(
            steps: steps[moment],
            failures: (1...UInt64(futures)).count { fails($0, after: moment) },
            futures: futures
        )
        return FailureCurve(points: found.sorted { $0.key < $1.key }.map(\.value))
    }

    /// The moment to look at next, as a number of decisions.
    private var moment: Int? {
        for part in 0..<Self.first {
            let moment = decisions.count * part / Self.first
            if found[moment] == nil { return moment }
        }
        let known = found.sorted { $0.key < $1.key }
        let widest = zip(known, known.dropFirst()).filter { $1.key - $0.key > 1 }
            .max { abs($0.1.value.share - $0.0.value.share) < abs($1.1.value.share - $1.0.value.share) }
        guard let widest, abs(widest.1.value.share - widest.0.value.share) >= Self.smallestChange else {
            return nil
        }
        return (widest.0.key + widest.1.key) / 2
    }

    private func fails(_ future: UInt64, after moment: Int) -> Bool {
        var recipe = recorded
        recipe.decisions = Array(decisions.prefix(moment))
        let run = program.run(recipe) { configuration in
            configuration.future = future
            configuration.maximumSteps = min(configuration.maximumSteps, mostSteps)
        }
        return run.failure?.fingerprint == failure.fingerprint
    }
}
