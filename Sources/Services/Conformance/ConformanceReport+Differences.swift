extension ConformanceReport {
    /// What each case that failed required and saw, by its identifier.
    public var failures: [String: ConformanceFailure] {
        entries.reduce(into: [:]) { failures, entry in
            if case .failure(let failure) = entry.result { failures[entry.id] = failure }
        }
    }

    /// How the report differs from what a suite must say of an implementation with a known mistake.
    ///
    /// So a suite is held to account itself: each mistake is found by the cases that are about it, for the right reason, and by no other.
    ///
    /// - Parameter findings: For each case that must fail, by its identifier, a part of what its failure says.
    /// - Returns: A sentence for each difference; none where the report is as it must be.
    public func differences(from findings: [String: String]) -> [String] {
        let failures = failures
        return Set(failures.keys).union(findings.keys).sorted().compactMap { id in
            switch (failures[id].map { "\($0)" }, findings[id]) {
            case (let failure?, let words?):
                failure.contains(words) ? nil : "\(id) does not say “\(words)”: \(failure)"
            case (let failure?, nil): "\(id) fails, and must not: \(failure)"
            default: "\(id) does not fail"
            }
        }
    }
}
