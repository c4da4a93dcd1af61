import Exploration
import Simulation
import Synchronization
public import Testing

// How the runs of a test get a process of their own.
extension SimulatedTrait {
    /// Whether runs need what a fork does not have: threads of Dispatch, for what is outside.
    ///
    /// They are made in the process of the test, one after the other; one that ends it ends the search.
    var needsThreads: Bool { configuration.pace == .real || !configuration.allowedEscapes.isEmpty }

    /// Tells the nursery of tests, before the first test runs, of one that it will be asked for.
    public func prepare(for test: Test) async throws {
        if !test.isSuite, !needsThreads { TestNursery.shared.expect("\(test.id)") }
    }

    /// Lets another process search, and records what it has found.
    func searchElsewhere(_ plan: SeedPlan, _ test: Test, _ testCase: Test.Case?) async throws {
        let name = TestFilter.name(of: "\(test.id)")
        let start = ContinuousClock.now
        let search = try plan.results.map { try ResultFolder(path: $0).begin(name) }
        WholeProgram.begin(name)
        let filter = "^\(TestFilter.expression(for: "\(test.id)"))$"
        var request = TestProcess.Request(
            arguments: ["--testing-library", "swift-testing", "--filter", filter],
            test: "\(test.id)",
            testCase: TestProcess.name(of: testCase),
            hasOneThread: !needsThreads
        )
        let cancellation = Cancellation()
        let outcome: TestOutcome = try await withTaskCancellationHandler {
            // Blocks a thread of the pool, so that no more tests are searched at once than there are cores.
            try Cores.process.with(upTo: jobs ?? plan.jobs ?? .max) { free in
                request.jobs = jobs ?? plan.jobs ?? free
                return try TestProcess.outcome(of: request, cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
        let verdict = outcome.verdict(on: name)
        WholeProgram.end(verdict)
        if let problem = outcome.problem {
            Issue.record(Comment(rawValue: problem), sourceLocation: test.sourceLocation)
            return
        }
        SuiteChecks.note(outcome.result)
        // Where it is no failure, all is as it should be, and takes longer.
        if let statics = outcome.result.statics, statics.failure != nil {
            Issue.record("\(statics)", severity: .warning, sourceLocation: test.sourceLocation)
        }
        if let misfit = outcome.misfit {
            Issue.record(Comment(rawValue: misfit), severity: .warning, sourceLocation: test.sourceLocation)
        }
        for remark in outcome.remarks { remark.record(at: test.sourceLocation) }
        // A test that was not written for a simulation does not fail by leaving it.
        if isImplied, verdict.kind == .refused {
            let refusal = Comment(rawValue: "this test cannot be simulated: \(verdict.cause ?? "")")
            Issue.record(refusal, severity: .warning, sourceLocation: test.sourceLocation)
            return
        }
        for failure in outcome.failures {
            if !failure.output.isEmpty { printOutput(failure.output) }
            for issue in failure.issues { issue.record(at: test.sourceLocation) }
        }
        try search?.end(outcome.result)
        if outcome.failures.isEmpty, plan.reportsSuccess {
            outcome.result.reportSuccess(of: name, after: start)
        }
    }

    /// Searches in the process that was started for this test, and ends it; returns for other cases of the test.
    func searchAndExit(
        _ plan: SeedPlan,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard await TestNursery.wait("\(test.id)", TestProcess.name(of: testCase)),
            TestProcess.isWanted(case: TestProcess.name(of: testCase))
        else { return }
        let (issues, remarks) = (RunIssues(), IssueRelay())
        let recording = Mutex<IssueRelay?>(nil)
        let handler = IssueHandlingTrait.compactMapIssues { issue in
            // What is left of a run unwinds after its end, and says nothing about the test.
            if Simulation.current?.isOver == true { return nil }
            if let relay = recording.withLock({ $0 }) {
                var issue = RelayedIssue(issue)
                if let position = Simulation.current?.position { issue.text += "\n\(position)" }
                relay.send(issue)
            } else if issue.isFailure {
                issues.note(FailedExpectation(issue))
            } else if issues.isNew(issue) {
                remarks.send(RelayedIssue(issue))
            }
            return nil
        }
        try await handler.provideScope(for: test, testCase: testCase) {
            TestBody.with(function) { (body) -> Void in
                var outcome: TestOutcome
                do {
                    let searched = SearchedTest(
                        trait: self,
                        plan: plan,
                        name: TestFilter.name(of: "\(test.id)"),
                        issues: issues,
                        recording: { relay in recording.withLock { $0 = relay } },
                        test: { try await body() }
                    )
                    outcome = try searched.outcome()
                } catch {
                    outcome = TestOutcome(result: SweepResult(program: "", strategy: .portfolio))
                    outcome.problem = "\(error)"
                }
                var seen: Set<RelayedIssue> = []
                outcome.remarks = remarks.all.filter { seen.insert($0.identity).inserted }
                TestProcess.end(with: outcome)
            }
        }
    }
}
