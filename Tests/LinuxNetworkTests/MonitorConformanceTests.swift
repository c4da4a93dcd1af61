import Conformance
import NetworkMonitorConformance
import SimulationTesting
import Testing

@Suite("Monitor conformance", .simulated(seeds: 1...6))
struct MonitorConformanceTests {
    @Test(
        "monitors meet each requirement that they can: reports, scripts, hosts, and a network that nobody watches",
        arguments: NetworkMonitorConformance.cases
    )
    func monitors(_ test: NetworkMonitorConformance.Case) async throws {
        let harnesses: [any NetworkMonitorHarness] = [
            ReportsHarness(), ScriptedMonitorHarness(), HostMonitorHarness(), UnwatchedHarness(),
        ]
        for harness in harnesses {
            let outcome = try await test.run(with: harness)
            let isPossible = test.needs.isSubset(of: harness.capabilityNames)
            #expect((outcome == .passed) == isPossible, "\(harness): \(outcome)")
        }
    }

    @Test("a monitor in memory meets each requirement", arguments: NetworkMonitorConformance.cases)
    func memory(_ test: NetworkMonitorConformance.Case) async throws {
        #expect(try await test.run(with: WrongMonitorHarness(flaw: nil)) == .passed)
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = NetworkMonitorConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong monitor`() {
        let found = Set(WrongMonitor.Flaw.allCases.flatMap(\.findings.keys))
        #expect(found == Set(NetworkMonitorConformance.cases.map(\.id)))
    }
}

@Suite("Monitor conformance of wrong monitors", .simulated(seeds: 1...2))
struct WrongMonitorTests {
    @Test(
        "a wrong monitor fails the cases about its flaw, for that reason, and no other",
        arguments: WrongMonitor.Flaw.allCases
    )
    func wrong(_ flaw: WrongMonitor.Flaw) async throws {
        let report = await NetworkMonitorConformance.suite.report(on: WrongMonitorHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }
}
