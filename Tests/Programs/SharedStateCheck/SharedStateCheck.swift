import Exploration
import Foundation
import SharedState

/// Runs every way to share state between seeds in workers, again and again, and compares with a process for each seed.
///
///     SharedStateCheck [--seeds 20000] [--times 10] [--jobs CORES] [NAME …]
///
/// Prints a line for each way, and exits with 1 where any differs.
@main struct SharedStateCheck {
    static func main() throws {
        let options = Options(CommandLine.arguments.dropFirst())
        var wrong = 0
        for way in options.ways {
            let start = ContinuousClock.now
            let comparison = try Comparison(way, seeds: 1...options.seeds, jobs: options.jobs)
            let middle = ContinuousClock.now
            var differences: [String] = []
            var dependent = 0
            for time in 1...options.times {
                let result = try comparison.compare(jobs: options.jobs)
                if let dependence = result.dependence {
                    dependent += 1
                    if !way.isAffected { differences.append("time \(time): not as new: \(dependence)") }
                }
                differences += result.differences.map { "time \(time): \($0)" }
            }
            let end = ContinuousClock.now
            print(
                differences.isEmpty ? "ok  " : "FAIL",
                way.name.padding(toLength: 36, withPad: " ", startingAt: 0),
                "\(comparison.reference.failedRuns) failed,",
                dependent == 0 ? "" : "process for each seed \(dependent) times of \(options.times),",
                "\(seconds(middle - start)) s alone, \(seconds(end - middle)) s in workers"
            )
            for difference in differences { print("       \(difference)") }
            fflush(nil)
            if !differences.isEmpty { wrong += 1 }
        }
        let outcome = wrong == 0 ? "all the same" : "\(wrong) differ"
        print("\(options.ways.count) ways, \(options.times) times \(options.seeds) seeds: \(outcome)")
        if wrong > 0 { exit(1) }
    }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .seconds(1))
    }
}

private struct Options {
    var seeds: UInt64 = 20_000
    var times = 10
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    var ways = Way.all

    init(_ arguments: ArraySlice<String>) {
        var left = arguments
        var names: Set<String> = []
        while let argument = left.popFirst() {
            switch argument {
            case "--seeds": seeds = Self.number(after: argument, &left)
            case "--times": times = Self.number(after: argument, &left)
            case "--jobs": jobs = Self.number(after: argument, &left)
            default: names.insert(argument)
            }
        }
        if names.isEmpty { return }
        let unknown = names.subtracting(ways.map(\.name))
        if !unknown.isEmpty {
            fail(
                "there is no way \(unknown.sorted().joined(separator: ", ")); they are:\n"
                    + ways.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n")
            )
        }
        ways.removeAll { !names.contains($0.name) }
    }

    private static func number<Number: FixedWidthInteger>(
        after option: String,
        _ left: inout ArraySlice<String>
    ) -> Number {
        guard let text = left.popFirst(), let number = Number(text), number > 0 else {
            fail("\(option) wants a number above 0")
        }
        return number
    }
}

private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("SharedStateCheck: \(message)\n".utf8))
    exit(64)
}
