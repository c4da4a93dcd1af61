import Conformance
import FaultConformance
import ServiceBrowserConformance
import SimulatedTransport
import Testing

@Suite("The browser conforms while its network fails")
struct ConformanceFaultTests {
    @Test func `whatever fails, the browser comes to list what is there`() {
        // Until what was said of a service that left without being heard has expired.
        let report = FaultSweep(seeds: 1...4, patience: .seconds(20_000))
            .report(ServiceBrowserConformance.suite) { world in
                for name in ["phone"] + (1...10).map({ "hub\($0)" }) { world.network.host(name) }
                var harness = SimulatedBrowserHarness()
                harness.network = world.network
                return harness
            }
        #expect(report.wrongs == [], "\(report)")
    }
}
