import Conformance
import FaultConformance
import PushReceiverConformance
import SimulatedTransport
import Testing

@Suite("The push connection conforms while its world fails")
struct ConformanceFaultTests {
    @Test func `whatever fails, what was sent arrives once`() {
        let report = FaultSweep(seeds: 1...5).report(PushReceiverConformance.suite) { world in
            for name in ["phone", "provider"] { world.network.host(name) }
            world.serverHost("push")
            return ConnectionHarness(capabilities: [.denial, .tokens, .repetitions]) {
                try await ConnectionWorld.failing(world, allowing: $0)
            }
        }
        #expect(report.wrongs == [], "\(report)")
    }
}
