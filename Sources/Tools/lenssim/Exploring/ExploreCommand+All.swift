import ArgumentParser
import CommandKit
import Exploration
import ScenarioKit
import Simulation

extension ExploreCommand {
    /// What is of one scenario.
    func validateSearchOfAll() throws {
        let others: KeyValuePairs = [
            "a scenario": scenario != nil, "--package": tests.package != nil, "--exhaustive": exhaustive,
            "--cancellations": cancellations,
        ]
        guard let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("--all is every scenario: give it without \(other).")
    }

    /// Searches in every scenario, and counts in how many runs each fault point of the services bit.
    func exploreAll(_ terminal: Terminal) async throws {
        let programs = Apps.scenarios.scenarios.map { $0.init().program }
        do {
            var views: [ExploreView] = []
            for program in programs where !Interruption.isRequested {
                let view = try await search(
                    program,
                    limit: time.map { $0.duration / programs.count },
                    terminal
                )
                if !json { try view.show(asJSON: false, on: terminal) }
                views.append(view)
            }
            let results = views.map(\.result)
            if let out { try SweepFile(path: out).write(results) }
            let coverage = FaultPointCoverage(of: Apps.faultPoints, in: results)
            if json {
                try printJSON(
                    Found(scenarios: views.map(\.json), faultPoints: plan == nil ? [] : coverage.rows),
                    on: terminal
                )
            } else if plan != nil {
                coverage.lines(on: terminal).forEach { terminal.line($0) }
            }
            if Interruption.isRequested { throw Exit.interrupted }
            if !results.allSatisfy(\.failures.isEmpty) { throw Exit.failed }
            // A plan by hand arms what it likes.
            if plan?.source == "swarm", !coverage.neverHit.isEmpty { throw Exit.failed }
        } catch let usage as ValidationError {
            throw usage
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    private struct Found: Encodable {
        var scenarios: [ExploreView.JSON]
        var faultPoints: [FaultPointCoverage.Row]
    }
}
