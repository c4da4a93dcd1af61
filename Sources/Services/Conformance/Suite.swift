/// The requirements of a protocol, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes an implementation of its own. They fail by
/// throwing a ``ConformanceFailure``, so that any test framework can run them, and a command too. The shape follows go-cloud's
/// `blob/drivertest`.
///
/// `Subject` is what makes the implementations: `any ChatModelHarness` for chat models.
public struct Suite<Subject: Sendable>: Sendable {
    /// What it tries, such as `chat model`.
    public let name: String
    /// All requirements; groups of them stand together.
    public let cases: [Case]

    /// Makes a suite.
    ///
    /// - Parameters:
    ///   - name: What it tries.
    ///   - cases: The requirements, with distinct identifiers and sentences.
    public init(_ name: String, _ cases: [Case]) {
        self.name = name
        self.cases = cases
    }

    /// Runs all cases, one after the other.
    public func report(on subject: Subject) async -> ConformanceReport {
        var report = ConformanceReport()
        for test in cases {
            let result = await test.result(on: subject)
            report.entries.append(.init(id: test.id, requirement: test.name, result: result))
        }
        return report
    }

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// A name that stays the same when the sentence changes, such as `frame.order`: group, and point.
        public let id: String
        /// The requirement as a sentence.
        public let name: String
        /// The capabilities that it needs, by name.
        public let needs: Set<String>
        /// The capability of those that are meant to behave in another way, by name.
        public let contradicts: String?

        let harness: @Sendable (Subject) -> any Harness
        let check: @Sendable (Subject) async throws -> Void
        let terms: FaultTerms

        /// Makes a case.
        ///
        /// - Parameters:
        ///   - id: Its group, a dot, and its point.
        ///   - name: The requirement as a sentence.
        ///   - needs: The capabilities without which it is skipped.
        ///   - contradicts: The capability with which it is skipped.
        ///   - terms: What it may do under faults.
        ///   - harness: The subject as a harness.
        ///   - check: Throws where the requirement is not met.
        public init<Capability: RawRepresentable<String> & Hashable>(
            _ id: String,
            _ name: String,
            needs: Set<Capability>,
            unless contradicts: Capability? = nil,
            underFaults terms: FaultTerms = FaultTerms(),
            harness: @escaping @Sendable (Subject) -> any Harness,
            _ check: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.id = id
            self.name = name
            self.needs = Set(needs.map(\.rawValue))
            self.contradicts = contradicts?.rawValue
            self.terms = terms
            self.harness = harness
            self.check = check
        }

        /// The requirement with its name.
        public var description: String { "\(id): \(name)" }

        /// Checks the requirement on a new implementation.
        ///
        /// - Returns: Whether it was checked; a requirement that is not met is thrown.
        /// - Throws: `ConformanceFailure`, also where the case takes longer than the harness's time limit, whatever the
        ///   implementation does; or what the harness throws.
        @discardableResult
        public func run(with subject: Subject) async throws -> ConformanceOutcome {
            let harness = harness(subject)
            if let reason = reasonToSkip(harness) { return .skipped(reason) }
            do {
                try await requireEnd(name, within: harness.timeLimit) { try await check(subject) }
                return .passed
            } catch let skipped as CaseSkipped {
                return .skipped(skipped.reason)
            } catch {
                // Whatever it is, it must not bring a secret into a report.
                try harness.requireNoSecret(in: error)
                throw error
            }
        }

        /// What a harness lacks of what the case needs, or has although it must not.
        func reasonToSkip(_ harness: any Harness) -> String? {
            let missing = needs.subtracting(harness.capabilityNames)
            guard missing.isEmpty else { return "it needs \(missing.sorted().joined(separator: ", "))" }
            guard let contradicts, harness.capabilityNames.contains(contradicts) else { return nil }
            return "it is not for what has \(contradicts)"
        }

        fileprivate func result(on subject: Subject) async -> ConformanceReport.Result {
            do { return .success(try await run(with: subject)) } catch let failure as ConformanceFailure {
                return .failure(failure)
            } catch {
                return .failure(ConformanceFailure("the case could be tried", saw: "“\(error)”"))
            }
        }
    }
}

/// How a case that did not fail ended.
public enum ConformanceOutcome: Sendable, Hashable {
    case passed
    /// The implementation, or its harness, does not have what the case needs; with the reason.
    case skipped(String)
}
