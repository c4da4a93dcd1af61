public import Conformance

/// The requirements of `ServiceBrowser`, as cases that any implementation can be run against.
///
/// `Documentation/DiscoveryBackend.md` writes a browser with its harness step by step.
/// Other services may be on the network, as on one of this machine's: only those of the types that a case makes up count.
public enum ServiceBrowserConformance {
    /// One requirement.
    public typealias Case = Suite<any ServiceBrowserHarness>.Case

    /// All requirements.
    public static let cases: [Case] = finding + changing + leaving + stopping

    /// The suite of them.
    public static let suite = Suite("service browser", cases)
}

extension Suite.Case where Subject == any ServiceBrowserHarness {
    /// What was published is withdrawn in the end.
    init(
        _ id: String,
        _ name: String,
        needs: Set<ServiceBrowserCapability> = [],
        calmBecause: String? = nil,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        // Nothing is excused: a listing that has no errors comes to be right.
        let terms = FaultTerms(calmBecause: calmBecause)
        self.init(id, name, needs: needs, underFaults: terms, harness: { $0 }) { harness in
            let trial = try await Trial.make(harness)
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.end()
            }
        }
    }
}
