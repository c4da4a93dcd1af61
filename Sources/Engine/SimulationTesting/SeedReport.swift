import Simulation
import Synchronization
import Testing

/// Names the seed of a failure and the line that runs it again.
struct SeedReport: Sendable {
    var seed: UInt64
    /// The line to paste into a shell.
    var again: String

    init(seed: UInt64, isFixed: Bool = false, test: Test) {
        self.seed = seed
        // The identifier reads Module.Suite/function()/File.swift:line:column; the filter wants the first two parts.
        let parts = "\(test.id)".split(separator: "/")
        let name = parts.prefix { !$0.contains(".swift:") }.joined(separator: "/")
        again =
            (isFixed ? "" : "LENSSIM_SEED=\(seed) ")
            + "swift test --filter '\(name.replacingOccurrences("()", with: ""))'"
    }

    func annotate(_ issue: Issue) -> Issue {
        var issue = issue
        let position = Simulation.current.map { "\($0.position)" } ?? "seed \(seed)"
        issue.comments.append("\(position)\n  again: \(again)")
        return issue
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, with replacement: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: replacement)
    }
}

/// An error that a test threw, with the seed that led to it.
struct SeedFailure: Error, CustomStringConvertible {
    var seed: UInt64
    var underlying: any Error
    var again: String

    var description: String { "\(underlying)\n  again: \(again)" }
}

/// Whether anything failed under the seed that runs now.
final class FailureCount: Sendable {
    private let count = Atomic(0)

    var any: Bool { count.load(ordering: .relaxed) > 0 }

    func note(_ issue: Issue) {
        if issue.isFailure { count.add(1, ordering: .relaxed) }
    }

    func noteThrown() { count.add(1, ordering: .relaxed) }
}
