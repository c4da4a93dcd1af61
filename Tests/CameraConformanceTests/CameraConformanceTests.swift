import CameraSourceConformance
import Conformance
import PPPP
import SimulationTesting
import Testing

/// Every source of pictures that can be chosen, in each form that it has: cameras of devices and files, and the drawn one.
///
/// Not those that pass on what another camera shows. `RecordingCamera` and `ReplayCamera` know looks at the newest frame alone, and
/// not when a connection begins or ends; `LabelledCamera` covers pictures in scenarios.
enum Source: Sendable, CaseIterable {
    case drawn(FakeCameraHarness.Kind)
    case files(ImageFolderHarness.Kind)
    case linux(String)
    case wifi(CommandFraming)

    static let allCases: [Source] =
        FakeCameraHarness.Kind.allCases.map { .drawn($0) }
        + ImageFolderHarness.Kind.allCases.map { .files($0) }
        + ["YUYV", "NV12", "MJPG"].map { .linux($0) } + [.cgi, .json, .binary].map { .wifi($0) }
}

@Suite("Camera conformance", .simulated(seeds: 1...3))
struct CameraConformanceTests {
    @Test(
        "LENS-052 every source that can be chosen conforms to one protocol: it connects or throws, disconnects, and has a newest frame while it is connected",
        arguments: Source.allCases
    )
    func conforms(_ source: Source) async throws {
        for test in CameraSourceConformance.cases {
            switch source {
            case .drawn(let kind): try await expect(test, FakeCameraHarness(kind: kind))
            case .files(let kind): try await expect(test, ImageFolderHarness(kind: kind))
            case .linux(let format): try await expect(test, V4L2Harness(format: format))
            case .wifi(let framing): try await expect(test, VeepaHarness(framing: framing))
            }
        }
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = CameraSourceConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }
}

/// The suite against cameras with one mistake each.
@Suite("Camera conformance of wrong cameras", .simulated(seeds: 1...1))
struct WrongCameraTests {
    @Test(
        "a wrong camera fails the cases about its flaw, for that reason, and no other",
        arguments: WrongCamera.Flaw.allCases
    )
    func wrong(_ flaw: WrongCamera.Flaw) async throws {
        let report = await CameraSourceConformance.suite.report(on: WrongCameraHarness(flaw: flaw))
        let differences = report.differences(from: flaw.findings).filter { difference in
            !flaw.sometimes.contains { id, words in
                difference == "\(id) does not fail"
                    || difference.hasPrefix("\(id) ") && difference.contains(words)
            }
        }
        #expect(differences == [])
    }
}

/// A case passes, or needs what the camera does not have.
func expect(_ test: CameraSourceConformance.Case, _ harness: some CameraSourceHarness) async throws {
    let outcome: ConformanceOutcome
    do { outcome = try await test.run(with: harness) } catch let failure as ConformanceFailure {
        Issue.record("\(test.id): \(failure)")
        return
    }
    let isPossible =
        test.needs.isSubset(of: harness.capabilityNames)
        && !(test.id == "loss.final" && harness.capabilities.contains(.recovery))
    #expect((outcome == .passed) == isPossible, "\(test.id): \(outcome)")
}
