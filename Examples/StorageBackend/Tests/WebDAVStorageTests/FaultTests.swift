import Conformance
import FaultConformance
import ObjectStoreConformance
import SimulatedTransport
import Testing

@Suite("The WebDAV store conforms while its world fails")
struct WebDAVFaultTests {
    @Test(arguments: ScriptedDAV.Form.allCases)
    func `whatever fails, the store passes or says so, and what it reports is so`(_ form: ScriptedDAV.Form) {
        let report = FaultSweep(seeds: 1...2).report(ObjectStoreConformance.suite) { world in
            let phone = world.network.host("phone")
            world.serverHost("cloud")
            return WebDAVHarness(form: form) { (phone, "\(await world.serve($0, on: "cloud"))") }
        }
        #expect(report.wrongs == [], "\(report)")
    }
}
