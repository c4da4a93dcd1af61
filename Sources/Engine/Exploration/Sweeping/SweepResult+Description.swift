import Simulation

extension SweepResult: CustomStringConvertible {
    /// A few lines: what was run, and the first run of each kind of failure.
    public var description: String {
        let ranges = seeds.prefix(4).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }
        let seeds = ranges.joined(separator: ", ") + (self.seeds.count > 4 ? ", …" : "")
        var lines = [
            "\(program), strategy \(strategy.rawValue), seeds \(seeds.isEmpty ? "none" : seeds): "
                + "\(runs) runs, \(failedRuns) failed, \(steps) steps, about \(schedules.estimate) schedules"
        ]
        for (_, group) in failures.sorted(by: { $0.key < $1.key }).prefix(Self.describedFailures) {
            guard let run = group.runs.first else { continue }
            lines.append(
                "  \(group.count) × \(Self.firstLine(of: run.failure.message)), first by \(run.recipe)"
            )
        }
        if failures.count > Self.describedFailures {
            lines.append("  and \(failures.count - Self.describedFailures) more kinds of failures")
        }
        let missing = neverReached
        if !missing.isEmpty {
            let named = missing.prefix(3).joined(separator: ", ") + (missing.count > 3 ? ", …" : "")
            lines.append("  never reached: \(named)")
        }
        return lines.joined(separator: "\n")
    }

    private static let describedFailures = 5

    private static func firstLine(of text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        return line.count > 160 ? line.prefix(160) + "…" : String(line)
    }
}
