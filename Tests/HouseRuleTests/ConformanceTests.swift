import Foundation
import Testing

@Suite("Suites that must be run")
struct ConformanceTests {
    @Test func `every camera of a backend, and every simulated one, is run against the suite of cameras`()
        throws
    {
        let tree = try SourceTree()
        let cameras = tree.files.filter { file in
            ["Sources/Backends/", "Simulators/"].contains(where: file.path.hasPrefix)
        }
        .flatMap {
            $0.text.matches(of: /(?:class|struct|actor) ([A-Za-z0-9]+): CameraSource\b/).map { String($0.1) }
        }
        #expect(cameras.count >= 4)
        let tests = tree.files.filter { $0.path.hasPrefix("Tests/CameraConformanceTests/") }.map(\.text)
            .joined(separator: "\n")
        // Harnesses of cameras that are expected to pass: tests make wrong cameras, and pictures, of others too.
        let harnesses = tests.components(separatedBy: "\nstruct ").filter { text in
            guard let name = text.firstMatch(of: /^([A-Za-z0-9]+): CameraSourceHarness/)?.1 else {
                return false
            }
            return tests.contains("expect(test, \(name)(")
        }
        for camera in cameras {
            let forms = ["-> \(camera) {", "StagedCamera<\(camera),"]
            #expect(
                harnesses.contains { forms.contains(where: $0.contains) },
                "\(camera) has no harness that is run"
            )
        }
    }
}
