import Exploration
import Simulation

/// A test whose runs are made in the process that was started for it, each in a fork.
struct SearchedTest {
    /// How many issues of one run are reported.
    private static let mostIssues = 20

    let trait: SimulatedTrait
    let plan: SeedPlan
    /// The test as a filter names it.
    let name: String
    /// Where failed expectations of searches are noted.
    let issues: RunIssues
    /// Lets issues go to a relay from now on.
    let recording: (IssueRelay?) -> Void
    /// Whether it is a method of XCTest, which has no traits.
    var isMethod = false
    let test: @Sendable () async throws -> Void

    /// Runs what the plan says.
    ///
    /// - Throws: ``ForkError``.
    func outcome() throws -> TestOutcome {
        guard plan.isSearch, let strategy = plan.strategy else { return try outcomeOfEach() }
        return try outcome(of: plan, strategy)
    }

    private func outcome(of plan: SeedPlan, _ strategy: Strategy) throws -> TestOutcome {
        let search = TestSearch(
            program: Program(test: name, trait.base(of: plan), issues, test),
            plan: plan,
            strategy: strategy,
            isolation: trait.needsThreads ? .none : .worker,
            jobs: trait.jobs,
            isStopped: { false }
        )
        let found = try search.run()
        var outcome = TestOutcome(result: found.result)
        for failed in found.failures {
            let report = SeedReport(of: failed, in: plan, test: name, isMethod: isMethod)
            let recipe = failed.explanation?.recipe ?? failed.run.recipe
            // Another run would take its whole time again, and have nothing more to say.
            var finding =
                failed.run.failure.takesLong
                ? TestOutcome.Finding(issues: []) : try finding(recipe, report, plan)
            if finding.issues.isEmpty {
                let failure = failed.run.failure
                let text = failure.takesLong ? "\(failure)\(report.lines)" : report.unrepeated(failure)
                finding.issues = [RelayedIssue(text)]
            }
            outcome.failures.append(finding)
        }
        return outcome
    }

    /// Runs each seed, up to the first that fails.
    private func outcomeOfEach() throws -> TestOutcome {
        var outcome = TestOutcome(result: SweepResult(program: name, strategy: plan.strategy ?? .portfolio))
        guard let part = plan.part else { return outcome }
        let end = plan.limit.map { ContinuousClock.now + $0 }
        for seed in part {
            if seed > part.lowerBound, let end, ContinuousClock.now >= end { break }
            let recipe = plan.recipe(seed: seed)
            let report = SeedReport(seed: seed, recipe, of: plan, isFixed: trait.followsRecipe, test: name)
            let finding = try finding(recipe, report, plan)
            if !finding.issues.isEmpty {
                outcome.failures = [finding]
                return outcome
            }
            if let misfit = finding.misfit { return try outcomeOfUsualSeeds(misfit) }
        }
        return outcome
    }

    /// Runs what a test without a recipe runs, since that of this one does not fit any more.
    private func outcomeOfUsualSeeds(_ misfit: String) throws -> TestOutcome {
        let searched = SearchedTest(
            trait: trait.usual,
            plan: try trait.usualPlan(),
            name: name,
            issues: issues,
            recording: recording,
            test: test
        )
        var outcome = try searched.outcome()
        outcome.misfit = misfit
        return outcome
    }

    /// What a run records, in a process of its own.
    private func finding(
        _ recipe: Recipe?,
        _ report: SeedReport,
        _ plan: SeedPlan
    ) throws -> TestOutcome.Finding {
        let relay = IssueRelay()
        recording(relay)
        defer { recording(nil) }
        let body = { () -> RelayedIssue? in
            let (position, recorded) = (ThrowingPosition(), RecordedRun())
            do {
                try trait.simulate(seed: report.seed, recipe, of: plan, position, recorded, test)
                return nil
            } catch let misfit as RecipeMismatch where trait.followsRecipe {
                return RelayedIssue(misfit.remark, kind: .misfit)
            } catch {
                let place = position.value.map { "\($0)" } ?? "seed \(report.seed)"
                let text = "\(error)"
                return RelayedIssue(text + (text.contains(place) ? "" : "\n\(place)"))
            }
        }
        var finding: TestOutcome.Finding
        if trait.needsThreads {
            if let thrown = body() { relay.send(thrown) }
            finding = TestOutcome.Finding(issues: relay.all)
        } else {
            let run = try RecordedProcess(relay, body)
            finding = TestOutcome.Finding(issues: run.issues, output: run.output)
        }
        finding.misfit = finding.issues.first { $0.kind == .misfit }?.text
        finding.issues.removeAll { $0.kind == .misfit }
        if !finding.issues.contains(where: { $0.kind == .failure }) { finding.issues = [] }
        // One that fails in a loop would drown all others.
        if finding.issues.count > Self.mostIssues {
            let more = RelayedIssue("and \(finding.issues.count - Self.mostIssues) more in this run")
            finding.issues = finding.issues.prefix(Self.mostIssues) + [more]
        }
        if let first = finding.issues.firstIndex(where: { $0.kind == .failure }) {
            finding.issues[first].text += report.lines
        }
        return finding
    }
}
