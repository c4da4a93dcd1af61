import Foundation
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import TestSupport

/// A demonstration over real sockets of this machine, recorded.
struct LiveRecording {
    var path: String
    /// What came of it, or why it failed.
    var outcome: Result<Demo.Outcome, any Error>
    /// Where its services were.
    var addresses: LensAddresses

    /// A short one with small pictures.
    static let brief = DemoSettings(seconds: 1, size: PixelSize(width: 160, height: 90), seed: 4)

    /// Runs and records it.
    ///
    /// - Parameter change: Changes how the app reaches the services.
    static func make(
        _ settings: DemoSettings = brief,
        in folder: TemporaryFolder,
        change: (inout LensAddresses) -> Void = { _ in }
    ) async throws -> LiveRecording {
        let hosted = try await LoopbackPeers.start(LensServers(settings.options).peers)
        let places = LensAddresses(hosted.authority)
        var addresses = places
        change(&addresses)
        let path = folder.path + "/loopback"
        let demo = Demo(settings: settings, phoneFolder: folder.path + "/phone", sessionPath: path)
        let outcome: Result<Demo.Outcome, any Error>
        do {
            outcome = .success(
                try await demo.run(
                    addresses: addresses,
                    transport: hosted.transport,
                    stop: { try? await Task.sleep(for: .seconds(600)) },
                    tell: { _ in }
                )
            )
        } catch {
            outcome = .failure(error)
        }
        await hosted.stop()
        return LiveRecording(path: path, outcome: outcome, addresses: places)
    }
}
