import Simulation

/// What came of a run, as far as another one by the same recipe must be equal, wherever it is made.
struct RunOutcome: Equatable, Codable {
    private let hash: UInt64
    let steps: Int
    private let nanoseconds: Int64
    let failure: String?

    init(_ result: RunResult) {
        hash = result.hash
        steps = result.steps
        nanoseconds = result.time.nanoseconds
        failure = result.failure?.fingerprint
    }

    init(_ run: ObservedRun) {
        hash = run.hash
        steps = run.steps
        nanoseconds = run.nanoseconds
        failure = run.failure?.fingerprint
    }
}

/// A run that is to be made once more, and what has to come of it.
struct Repetition: Codable {
    var recipe: Recipe
    var expected: RunOutcome

    /// After so many steps it is another run, which need not come to its end.
    var mostSteps: Int { 2 * expected.steps + 1000 }
}
