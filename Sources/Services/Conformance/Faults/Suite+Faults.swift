extension Suite.Case {
    /// Checks the requirement on a new implementation while the world fails.
    ///
    /// Of any implementation this holds then: the case passes, or a call fails with an error that the protocol documents for it, as the
    /// suite's ``FaultTerms`` say. It never gives a wrong answer, waits forever, or fails with another error; and what was reported as
    /// done is done once the faults are over.
    ///
    /// - Parameters:
    ///   - subject: What makes implementations in a world where faults have begun.
    ///   - patience: The longest wait for anything that must come, in place of the harness's; the case may take ten times as long.
    ///   - heal: Ends the faults: what was down is up, and everything arrives.
    /// - Returns: How it ended.
    /// - Throws: `ConformanceFailure` where it did something wrong, and any error that the suite does not excuse.
    public func run(
        with subject: Subject,
        underFaultsWithin patience: Duration,
        heal: () async throws -> Void
    ) async throws -> FaultVerdict {
        let harness = harness(subject)
        if let reason = terms.calmBecause ?? reasonToSkip(harness) { return .skipped(reason) }
        let run = FaultyRun(terms, patience: patience)
        do {
            let verdict = try await verdict(of: subject, in: run)
            try await heal()
            for check in run.checks {
                try await requireEnd("what was reported can be looked at", within: patience, check)
            }
            if case .gaveUp(let reason) = verdict { try harness.requireNoSecret(in: reason) }
            return verdict
        } catch {
            try harness.requireNoSecret(in: error)
            throw error
        }
    }

    private func verdict(of subject: Subject, in run: FaultyRun) async throws -> FaultVerdict {
        let check = check
        do {
            try await requireEnd(name, within: run.patience * 10) {
                try await FaultyRun.$current.withValue(run) { try await check(subject) }
            }
            return .passed
        } catch let skipped as CaseSkipped {
            return .skipped(skipped.reason)
        } catch let gaveUp as GaveUp {
            return .gaveUp(gaveUp.reason)
        } catch  where run.terms.excuses(error) {
            return .gaveUp("\(error)")
        }
    }
}
