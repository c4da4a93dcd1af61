import Foundation
import GeminiAPI
import Lens
import LensScenarios
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import Transport

/// A phone that streams to a simulated Gemini, with its transport and its camera recorded or as they are.
struct PhoneStream: Sendable {
    var seconds: Int
    /// The session file; `nil` for no recording.
    var path: String?

    /// Returns the core seconds that it took.
    func run() throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let writer = try path.map { try SessionWriter(path: $0, manifest: manifest) }
        let (_, elapsed) = try Elapsed.of {
            let report = try Simulation(seed: 1).runReporting { try await stream(writer, folder) }.report
            try writer?.finish(
                SessionOutcome(steps: report.steps, nanoseconds: 0, hash: report.hash, failure: nil)
            )
        }
        return elapsed.thread
    }

    private func stream(_ writer: SessionWriter?, _ folder: String) async throws {
        let options = LensOptions()
        let network = SimulatedNetwork(defaults: options.link)
        let servers = try LensServers(options)
        let gemini = SocketAddress(host: "gemini", port: 80)
        let listener = try await network.host("gemini").listen(servers.gemini, at: gemini)
        let phone = try LensPhone(
            options,
            addresses: LensAddresses(
                gemini: GeminiEndpoint(authority: "\(gemini)", isSecure: false),
                geminiKey: Secret(LensOptions.modelKey),
                store: .supabase(address: nil, key: nil)
            ),
            transport: transport(network.host("phone"), writer),
            camera: camera(LensPhone.camera(options, seed: 1), writer),
            folder: folder,
            databasePath: ":memory:"
        )
        _ = await phone.app.launch()
        try await phone.app.startStreaming()
        try await Task.sleep(for: .seconds(seconds))
        await phone.app.stopStreaming()
        await phone.shutdown()
        await listener.stop()
    }

    private func transport(_ host: SimulatedHost, _ writer: SessionWriter?) -> any Transport {
        guard let writer else { return host }
        return RecordingTransport(host, writer: writer, clock: SessionClock())
    }

    private func camera(_ camera: any CameraSource, _ writer: SessionWriter?) -> any CameraSource {
        guard let writer else { return camera }
        return RecordingCamera(camera, writer: writer, clock: SessionClock(), keepsPictures: false)
    }

    private var manifest: SessionManifest {
        SessionManifest(
            scenario: "benchmark",
            fidelity: .simulated,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "benchmarks"
        )
    }
}
