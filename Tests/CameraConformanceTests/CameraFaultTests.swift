import CameraSourceConformance
import Conformance
import FaultConformance
import Services
import SimulatedTransport
import Testing

@Suite("Camera conformance on a network that fails")
struct CameraFaultTests {
    @Test
    func
        `whatever fails, a Wi-Fi camera shows whole pictures in order or says that it was lost, and can be used again`()
    {
        let report = FaultSweep(seeds: 1...12, patience: .seconds(300)).report(CameraSourceConformance.suite)
        {
            world in
            let (camera, phone) = (world.network.host("camera"), world.network.host("phone"))
            return VeepaHarness { VeepaHarness.Place(camera: camera, client: phone) }
        }
        #expect(report.wrongs == [], "\(report)")
        // Failures bite.
        #expect(report.entries.contains { !$0.gaveUp.isEmpty }, "\(report)")
    }
}
