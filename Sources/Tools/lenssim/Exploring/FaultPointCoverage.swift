import CommandKit
import Exploration
import Simulation

/// In how many runs of several sweeps each of some fault points bit.
struct FaultPointCoverage {
    struct Row: Encodable, Equatable {
        var point: String
        /// Runs in which it bit at least once.
        var runs: Int
        /// How often it bit in all of them.
        var hits: Int
        /// How often the code passed it.
        var passings: Int
    }

    /// In the order of the points.
    let rows: [Row]

    /// Adds up what sweeps have found at the points; at places elsewhere nothing is counted.
    init(of points: [String], in results: [SweepResult]) {
        let checks = results.flatMap(\.checks).filter { $0.kind == .faultPoint }
        rows = points.map { point in
            checks.filter { $0.name == point }.reduce(into: Row(point: point, runs: 0, hits: 0, passings: 0))
            {
                $0.runs += $1.hitRuns
                $0.hits += $1.hits
                $0.passings += $1.evaluations
            }
        }
    }

    /// The points that never bit.
    var neverHit: [String] { rows.filter { $0.runs == 0 }.map(\.point) }

    func lines(on terminal: Terminal) -> [String] {
        var table = Table()
        for row in rows {
            table.add(
                row.point,
                "bit in \(grouped(row.runs)) runs, \(grouped(row.hits)) of \(grouped(row.passings)) times"
            )
        }
        let missing = neverHit.map { "\(terminal.styled("✘", .red)) never bit: fault point \($0)" }
        return ["fault points of the services"] + table.lines + missing
    }
}
