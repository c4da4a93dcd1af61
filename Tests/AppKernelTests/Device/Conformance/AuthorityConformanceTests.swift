import Conformance
import PermissionAuthorityConformance
import SimulationTesting
import Testing

@Suite("Authority conformance", .simulated(seeds: 1...4))
struct AuthorityConformanceTests {
    @Test(
        "authorities meet each requirement that they can: nodes, a person with a script, and one that asks nobody",
        arguments: PermissionAuthorityConformance.cases
    )
    func authorities(_ test: PermissionAuthorityConformance.Case) async throws {
        let harnesses: [any PermissionAuthorityHarness] = [
            DeviceNodeHarness(), SimulatedAuthorityHarness(), UnrestrictedHarness(),
        ]
        for harness in harnesses {
            let outcome = try await test.run(with: harness)
            let isPossible = test.needs.isSubset(of: harness.capabilityNames)
            #expect((outcome == .passed) == isPossible, "\(harness): \(outcome)")
        }
    }

    @Test("an authority in memory meets each requirement", arguments: PermissionAuthorityConformance.cases)
    func memory(_ test: PermissionAuthorityConformance.Case) async throws {
        #expect(try await test.run(with: WrongAuthorityHarness(flaw: nil)) == .passed)
    }

    @Test(
        "a wrong authority fails the cases about its flaw, for that reason, and no other",
        arguments: WrongAuthority.Flaw.allCases
    )
    func wrong(_ flaw: WrongAuthority.Flaw) async throws {
        let report = await PermissionAuthorityConformance.suite.report(on: WrongAuthorityHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = PermissionAuthorityConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong authority`() {
        let found = Set(WrongAuthority.Flaw.allCases.flatMap(\.findings.keys))
        #expect(found == Set(PermissionAuthorityConformance.cases.map(\.id)))
    }
}
