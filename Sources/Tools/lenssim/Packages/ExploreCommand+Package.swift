import ArgumentParser
import CommandKit
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
        if let other = others.first(where: \.value)?.key {
            throw ValidationError("\(other) is for scenarios: give it without --package.")
        }
        if tests.allTests, out != nil {
            throw ValidationError("--all-tests sorts tests, which is no sweep: give --json instead of --out.")
        }
    }

    /// Searches in the test program of a package.
    func explore(_ tests: PackageTests, _ terminal: Terminal) throws {
        if tests.areAllSimulated { return try sort(tests, terminal) }
        let results = try tests.search(variables).results
        if let out { try SweepFile(path: out).write(results) }
        try PackageSearch(tests: tests, results: results).show(asJSON: json, on: terminal)
        if !results.allSatisfy(\.failures.isEmpty) { throw Exit.failed }
    }

    /// Runs every test, and shows what came of each.
    private func sort(_ tests: PackageTests, _ terminal: Terminal) throws {
        var variables = variables
        // What the library gives each test, unless somebody has asked for more.
        if seeds == nil { variables["LENSSIM_SEEDS"] = nil }
        if shrink { variables["LENSSIM_SHRINK"] = nil }
        let table = try tests.verdicts(variables)
        try PackageVerdicts(table: table).show(asJSON: json, on: terminal)
        if table.count(.fails) > 0 { throw Exit.failed }
    }

    /// The settings of the trait of the tests.
    private var variables: [String: String] {
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
        return variables
    }
}
