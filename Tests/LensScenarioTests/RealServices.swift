import AppKernel
import EspeakSpeech
import FakeCamera
import FileSecrets
import Foundation
import ImageFolderCamera
import Lens
import LensScenarios
import LinuxNetwork
import PocketsphinxSpeech
import ScenarioKit
import Services
import SimulatedDevice
import SystemPrograms
import TestSupport
import Testing
import WAV

/// Services of this machine in the place of simulated ones: pictures of a folder as a camera, files, the kernel's network, and programs that speak and
/// understand.
///
/// The models and the store need none here: a world over sockets reaches them by their own clients.
struct RealServices: Sendable {
    private let network: LinuxNetworkMonitor
    private let folder: String
    private let question: WAVSound
    private let secrets: FileSecretStore

    private static let images =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Images/folder").path

    /// What is exchanged in a run each; the rest is simulated there.
    static let exchanged: [Set<UsedServices.Service>] = [
        [.camera, .permissions, .recognizer, .microphone], [.secrets, .synthesizer], [.network],
    ]
    /// What is used then.
    static let types: [UsedServices.Service: String] = [
        .camera: "ImageFolderCamera.ImageFolderCamera", .permissions: "AppKernel.DeviceNodePermissions",
        .recognizer: "PocketsphinxSpeech.PocketsphinxRecognizer",
        .microphone: "PocketsphinxSpeech.SoundMicrophone",
        .network: "LinuxNetwork.LinuxNetworkMonitor", .secrets: "FileSecrets.FileSecretStore",
        .synthesizer: "EspeakSpeech.EspeakVoice",
    ]

    static let isPossible = EspeakVoice.espeak.path != nil && PocketsphinxRecognizer.pocketsphinx.path != nil
    static let reason: Comment = "SKIPPED: run ./scripts/setup espeak-ng pocketsphinx pocketsphinx-en-us"

    /// Makes the user's question.
    ///
    /// - Parameter folder: Where secrets and sounds go.
    init(in folder: TemporaryFolder) async throws {
        network = try LinuxNetworkMonitor()
        self.folder = folder.path
        secrets = FileSecretStore(path: folder.file("secrets"), key: .file(folder.file("key")))
        try secrets.set(Secret("test-key"), named: ModelKey.name)
        let user = EspeakVoice(folder: folder.file("asked"), voice: "en-us+klatt2", player: nil)
        question = try await user.synthesize("What do you see in this picture?")
    }

    /// Uses the app, outside any simulation, on some services of this machine and simulated ones in the place of the others.
    ///
    /// - Returns: The types of the services that it has used.
    func use(_ services: Set<UsedServices.Service>) async throws -> [UsedServices.Service: String] {
        let used = UsedServices()
        var options = LensOptions()
        options.size = PixelSize(width: 320, height: 180)
        options.spoken = [[.init(after: .milliseconds(100), .final("What do you see?"))]]
        options.adjust = { environment in
            take(services, in: &environment)
            used.exchange(&environment)
        }
        let servers = try LensServers(options)
        let hosted = try await LoopbackPeers.start(servers.peers)
        do {
            let phone = try LensPhone(
                options,
                addresses: LensAddresses(hosted.authority),
                transport: hosted.transport,
                camera: FakeCamera(.init(size: options.size)),
                folder: folder + "/phone",
                databasePath: ":memory:"
            )
            _ = await phone.app.launch()
            let result: Result<Void, any Error>
            // On a machine without a network the app sends nothing, as it should.
            let isOnline = !services.contains(.network) || network.isConnected
            do {
                result = .success(isOnline ? try await EveryService.use(phone.app) : ())
            } catch { result = .failure(error) }
            await phone.shutdown()
            try result.get()
        } catch {
            await hosted.stop()
            throw error
        }
        await hosted.stop()
        return used.types
    }

    private func take(_ services: Set<UsedServices.Service>, in environment: inout LensEnvironment) {
        if services.contains(.camera) {
            environment.cameras[.local] = { _ in ImageFolderCamera(path: Self.images) }
        }
        if services.contains(.network) { environment.network = network }
        if services.contains(.permissions) {
            environment.permissions = DeviceNodePermissions(camera: Self.images, microphone: folder)
        }
        if services.contains(.secrets) { environment.secrets = secrets }
        if services.contains(.synthesizer) {
            environment.synthesizer = EspeakVoice(folder: folder + "/spoken", player: nil)
        }
        if services.contains(.recognizer) { environment.recognizer = PocketsphinxRecognizer() }
        if services.contains(.microphone) { environment.microphone = SoundMicrophone(question) }
    }
}
