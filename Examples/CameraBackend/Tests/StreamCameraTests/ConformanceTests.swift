import CameraSourceConformance
import Conformance
import SimulationTesting
import Testing

/// What the camera does not have: it does not look for a lost device, and has no zoom.
private let notApplicable: Set = ["loss.recovery", "control.zoom"]

@Suite("Conformance of the stream camera", .simulated(seeds: 1...5))
struct StreamCameraConformanceTests {
    @Test(
        "every requirement is met over a simulated network",
        arguments: CameraSourceConformance.cases,
        ScriptedStream.Form.allCases
    )
    func conforms(_ test: CameraSourceConformance.Case, _ form: ScriptedStream.Form) async throws {
        let outcome = try await test.run(with: SimulatedHarness(form: form))
        #expect((outcome == .passed) != notApplicable.contains(test.id), "\(outcome)")
    }
}

@Suite("Conformance of the stream camera over real sockets", .timeLimit(.minutes(3)))
struct LiveStreamCameraConformanceTests {
    @Test("every requirement is met over real sockets", arguments: CameraSourceConformance.cases)
    func conforms(_ test: CameraSourceConformance.Case) async throws {
        let outcome = try await test.run(with: LoopbackHarness(form: .lengths))
        #expect((outcome == .passed) != notApplicable.contains(test.id), "\(outcome)")
    }
}
