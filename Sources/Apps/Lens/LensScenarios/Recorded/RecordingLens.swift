import Foundation
import ImageFolderCamera
public import Lens
public import LiveTransport
public import ScenarioKit
public import Services
public import SessionRecording
import Simulation
import V4L2Camera

/// The program `lens` over real sockets of this machine, while it is recorded.
public struct RecordingLens: Sendable {
    /// How it is run.
    public var run: LensRun
    /// Where the services are.
    public var addresses: LensAddresses
    /// Where the app keeps its files between runs.
    public var folder: String

    private let camera: any CameraSource
    private let device: V4L2Camera?
    private let seed = UInt64.random(in: 1...999_999)

    /// Prepares a run, and connects its camera where that is a device.
    ///
    /// - Throws: `V4L2Failure`, `CameraError`.
    public init(_ run: LensRun, addresses: LensAddresses, folder: String) async throws {
        self.run = run
        self.addresses = addresses
        self.addresses.store = addresses.store.plain
        self.run.hasModelKey = addresses.geminiKey != nil
        self.run.hasStoreKey = addresses.store.key != nil
        self.folder = folder
        device = try await ConnectedCamera.device(at: run.input, size: run.options.size)
        camera = device.map(ConnectedCamera.init) ?? LensPhone.camera(run.options, seed: seed)
    }

    /// How it is recorded.
    ///
    /// - Parameters:
    ///   - path: Where the recording goes.
    ///   - retention: What is kept.
    public func recorder(path: String, retention: Retention = .all) -> LiveRecorder {
        LiveRecorder(
            name: RecordedLens.name,
            seed: seed,
            parameters: run.settingTexts.merging(addresses.parameters) { first, _ in first },
            secrets: [addresses.geminiKey, addresses.store.key].compactMap { $0 },
            folder: folder,
            inputs: ["lens.sqlite", "Documents"],
            unread: Demo.settledMedia(in: folder, store: addresses.storeIdentity),
            path: path,
            retention: retention
        )
    }

    /// One use of the app by one page, inside a session that is recorded.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - transport: What reaches the services.
    ///   - voice: Speaks.
    ///   - ear: Hears and understands.
    ///   - users: What is done on the screens.
    ///   - log: Where states and actions of the screens go.
    ///   - launched: Called with what the app found at its launch.
    ///   - preview: Called with each picture of the preview.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    public func use(
        in session: RecordedSession,
        over transport: LiveTransport,
        voice: any SpeechSynthesizer,
        ear: any SpeechRecognizer & Microphone,
        by users: any UserActions,
        log: any ScreenLog,
        launched: @Sendable (LaunchReport) -> Void,
        preview: @escaping @Sendable (VideoFrame) -> Void
    ) async throws -> Int64 {
        let phone = try run.phone(
            addresses,
            transport: session.transport(transport),
            camera: session.camera(camera, keepsPictures: run.input != nil),
            folder: folder,
            speech: session.speech(voice: voice, recognizer: ear, microphone: ear)
        )
        return try await RecordedLens.use(
            phone,
            by: users,
            log: log,
            clock: session.clock,
            launched: launched,
            preview: { frame in Simulation.asPlatform { preview(frame) } }
        )
    }

    /// Disconnects the camera, where it is a device.
    public func stop() async { await device?.disconnect() }
}
