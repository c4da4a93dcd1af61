import Conformance
import ServiceBrowserConformance
import Services
import SimulationTesting
import Testing

@Suite("Browser conformance", .simulated(seeds: 1...6))
struct SimulatedBrowserConformanceTests {
    @Test(
        "the browser of multicast DNS meets every requirement on a simulated network",
        arguments: ServiceBrowserConformance.cases
    )
    func simulated(_ test: ServiceBrowserConformance.Case) async throws {
        #expect(try await test.run(with: SimulatedBrowserHarness()) == .passed)
    }

    @Test("a browser in memory meets every requirement", arguments: ServiceBrowserConformance.cases)
    func memory(_ test: ServiceBrowserConformance.Case) async throws {
        #expect(try await test.run(with: WrongBrowserHarness(flaw: nil)) == .passed)
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = ServiceBrowserConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }
}

@Suite("Browser conformance of wrong browsers", .simulated(seeds: 1...1))
struct WrongBrowserTests {
    @Test(
        "a wrong browser fails the cases about its flaw, for that reason, and no other",
        arguments: WrongBrowser.Flaw.allCases
    )
    func wrong(_ flaw: WrongBrowser.Flaw) async throws {
        let report = await ServiceBrowserConformance.suite.report(on: WrongBrowserHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }
}
