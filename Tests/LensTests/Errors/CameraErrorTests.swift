import AppKernel
import Files
import Foundation
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import Testing

@Suite("Errors of the camera", .simulated(seeds: 1...3, configuration: .shortWaits))
struct CameraErrorTests {
    private struct Cause: Error {}

    /// Each case, by the name that the source document has for it; another case would not be found here.
    private func name(_ error: CameraError) -> String {
        switch error {
        case .permissionDenied: "permissionDenied"
        case .deviceNotFound: "deviceNotFound"
        case .inputConfigurationFailed: "inputConfigurationFailed"
        case .outputConfigurationFailed: "outputConfigurationFailed"
        case .sessionStartFailed: "sessionStartFailed"
        case .sessionAlreadyRunning: "sessionAlreadyRunning"
        case .configurationFailed: "configurationFailed"
        case .unknown: "unknown"
        }
    }

    private func failure(_ work: () async throws(CameraError) -> Void) async -> CameraError? {
        do throws(CameraError) {
            try await work()
            return nil
        } catch { return error }
    }

    @Test(
        "LENS-236 the eight cases of the camera's error all come, and can be compared, unknown ones by what they say"
    )
    func cases() async throws {
        let denied = try AppFixture(permissions: .init(decided: [.camera: .denied]))
        var seen = [await failure { () throws(CameraError) in try await denied.app.startRecording() }]
        let files = try FullFiles()
        let fixture = try AppFixture(files: files)
        let app = fixture.app
        _ = await app.launch()
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        try await app.camera.connect()
        fixture.local.show(Movie.frame(0, size: nil))
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        fixture.local.hide()
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        fixture.local.show(Movie.frame(1))
        files.fail(.create, .disk, after: 0)
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        files.heal()
        seen.append(await failure { () throws(CameraError) in try await app.camera.setZoom(.nan) })
        try await app.startRecording()
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        await app.stopRecording()
        let pixels = PixelBuffer(size: Movie.size, layout: .rgb)
        fixture.local.show(
            VideoFrame(sequence: 2, timestamp: .seconds(9), size: Movie.size, content: .pixels(pixels))
        )
        seen.append(await failure { () throws(CameraError) in try await app.startRecording() })
        #expect(
            seen.compactMap(\.self).map(name) == [
                "permissionDenied", "deviceNotFound", "inputConfigurationFailed", "sessionStartFailed",
                "outputConfigurationFailed", "configurationFailed", "sessionAlreadyRunning", "unknown",
            ]
        )
        for (index, one) in seen.enumerated() {
            for (place, other) in seen.enumerated() { #expect((one == other) == (index == place)) }
        }
        #expect(CameraError.unknown(Cause()) == .unknown(Cause()))
        #expect(CameraError.unknown(Cause()) != .unknown(CancellationError()))
        await app.shutdown()
    }
}
