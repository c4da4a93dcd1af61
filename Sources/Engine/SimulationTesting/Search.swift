import Foundation

/// How long a test runs seeds, and how many it has run.
final class Search {
    private let limit: Duration?
    private let start = ContinuousClock.now
    private var count = 0

    init(_ plan: SeedPlan) { limit = plan.limit }

    /// Whether there is time for another seed; a test that is cancelled, since its own time is over, runs none.
    ///
    /// The first seed runs in any case.
    func goesOn() -> Bool {
        let isOver = Task.isCancelled || limit.map { ContinuousClock.now - start >= $0 } ?? false
        guard count == 0 || !isOver else { return false }
        count += 1
        return true
    }

    /// Says on standard error what a search that was given a time has done; otherwise it would look like any passing test.
    func reportSuccess(of test: String) {
        guard limit != nil else { return }
        let seconds = (10 * ((ContinuousClock.now - start) / .seconds(1))).rounded() / 10
        let line = "LensSim: \(test): \(count) \(count == 1 ? "seed" : "seeds") in \(seconds) s, no failure\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
