import ArgumentParser
import Exploration
import Foundation
import Simulation

extension ExploreCommand {
    /// What needs the program in this process.
    func validatePackageSearch() throws {
        let others: KeyValuePairs = [
            "--exhaustive": exhaustive, "--cancellations": cancellations, "--branch": branch > 0,
            "--failures": failures != FailureFile.folder,
        ]
        guard let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("\(other) is for scenarios: give it without --package.")
    }

    /// Searches in the test program of a package.
    func explore(_ tests: PackageTests, _ terminal: Terminal) throws {
        var variables: [String: String] = [:]
        // A test may have a strategy of its own.
        if let strategy { variables["LENSSIM_STRATEGY"] = strategy.rawValue }
        if seeds != nil || time == nil { variables["LENSSIM_SEEDS"] = (seeds?.seeds ?? 1...1000).description }
        if let time { variables["LENSSIM_FOR"] = "\(time.duration / .seconds(1))s" }
        if let jobs { variables["LENSSIM_JOBS"] = "\(jobs)" }
        if let shard { variables["LENSSIM_SHARD"] = "\(shard.number)/\(shard.count)" }
        if let plan {
            variables["LENSSIM_PLAN"] = plan.source == "swarm" ? plan.source : URL(filePath: plan.source).path
        }
        variables["LENSSIM_ISOLATE"] = isolate ? "1" : "0"
        variables["LENSSIM_KEEP_GOING"] = keepGoing ? "1" : "0"
        variables["LENSSIM_SHRINK"] = shrink ? "10s" : "0"
        let results = try tests.search(variables).results
        if let out { try SweepFile(path: out).write(results) }
        try PackageSearch(tests: tests, results: results).show(asJSON: json, on: terminal)
        if !results.allSatisfy(\.failures.isEmpty) { throw Exit.failed }
    }
}
