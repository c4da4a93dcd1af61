import AppKernel
import Files
import Foundation
import ImageFolderCamera
import Lens
public import LiveTransport
import ScenarioKit
import Services
public import SessionRecording
import Simulation
import V4L2Camera

/// A full run of the app over real sockets of this machine, recorded.
public struct Demo: Sendable {
    /// What it does.
    public var settings: DemoSettings
    /// Where the app keeps its files between runs.
    public var phoneFolder: String
    /// Where the recording goes.
    public var sessionPath: String
    /// Voice and recognizer outside the simulation, and the user's question; wanted where the settings have it spoken.
    public var speech: DemoSpeech?

    /// Prepares a demonstration.
    public init(
        settings: DemoSettings,
        phoneFolder: String,
        sessionPath: String,
        speech: DemoSpeech? = nil
    ) {
        precondition(
            settings.speaks == (speech != nil),
            "what is spoken needs a voice, and nothing else does"
        )
        self.speech = speech
        self.settings = settings
        self.phoneFolder = phoneFolder
        self.sessionPath = sessionPath
    }

    /// Files of earlier runs that this one does not read: photos that were uploaded, or are not to be, and small
    /// pictures, which are made again.
    ///
    /// None where the database cannot be read: then all files are an input of the run.
    static func settledMedia(in folder: String, store: String) -> Set<String> {
        let path = folder + "/lens.sqlite"
        // Opening it would make it.
        guard FileManager.default.fileExists(atPath: path), let database = try? AppDatabase(path: path),
            let library = try? MediaLibrary(
                database,
                documents: FileFolder(path: folder + "/Documents"),
                store: store
            ),
            let items = try? library.items(), let wanted = try? library.itemsWantingUpload()
        else { return [] }
        try? database.close()
        let names = Set(items.map(\.url.lastPathComponent)).subtracting(wanted.map(\.url.lastPathComponent))
        let small = items.map { MediaLibrary.thumbnailName(of: $0.id) }
        return Set(names.union(small).map { "Documents/" + $0 })
    }

    /// The settings, with a seed of its own where an earlier run has left a database: the same one would draw the
    /// identifiers that stand in it.
    private func settingsAfterEarlierRuns() -> DemoSettings {
        guard FileManager.default.fileExists(atPath: phoneFolder + "/lens.sqlite") else { return settings }
        var settings = settings
        settings.seed &+= UInt64(Date().timeIntervalSince1970 * 1000)
        return settings
    }

    /// What came of it.
    public struct Outcome: Sendable {
        /// What was done.
        public var result: DemoResult
        /// Pictures of the input that could not be used, by name, with the reason.
        public var rejected: [String]
        /// What was recorded; another run that takes the file's name changes nothing in it.
        public var session: SessionReader
    }

    /// Runs it to its end or until `stop` returns.
    ///
    /// - Parameters:
    ///   - addresses: Where the services are.
    ///   - transport: What the app uses.
    ///   - stop: Waits, in the real world, for the user's wish to stop.
    ///   - tell: Shows what happens; called on the simulation's thread.
    /// - Throws: What the app throws, or `SessionError`. The recording is complete in every case.
    public func run(
        addresses: LensAddresses,
        transport: LiveTransport,
        stop: @escaping @concurrent @Sendable () async -> Void,
        tell: @escaping @Sendable (DemoEvent) -> Void
    ) async throws -> Outcome {
        var places = addresses
        places.store = places.store.plain
        let settings = settingsAfterEarlierRuns()
        let recorder = LiveRecorder(
            name: DemoSettings.name,
            seed: settings.seed,
            parameters: settings.settingTexts.merging(places.parameters) { first, _ in first },
            secrets: [addresses.geminiKey, addresses.store.key].compactMap { $0 },
            folder: phoneFolder,
            unread: Self.settledMedia(in: phoneFolder, store: places.storeIdentity),
            path: sessionPath
        )
        let device = try await ConnectedCamera.device(at: settings.input, size: settings.size)
        let camera: any CameraSource =
            device.map(ConnectedCamera.init) ?? LensPhone.camera(settings.options, seed: settings.seed)
        defer { if let device { Task { await device.disconnect() } } }
        let (result, session) = try await recorder.run(stoppedAt: \.stoppedAt) { [places] recorded in
            let phone = try LensPhone(
                settings.options,
                addresses: places,
                transport: recorded.transport(transport),
                camera: recorded.camera(camera, keepsPictures: settings.input != nil),
                folder: phoneFolder,
                databasePath: phoneFolder + "/lens.sqlite",
                speech: speech.map {
                    recorded.speech(
                        voice: $0.voice,
                        recognizer: $0.recognizer,
                        microphone: $0.microphone
                    )
                }
            )
            return try await DemoScript(
                phone: phone,
                settings: settings,
                clock: recorded.clock,
                screenLog: recorded.screenLog,
                stopRequest: { await Simulation.outside(stop) },
                tell: tell
            ).run()
        }
        let rejected = (camera as? ImageFolderCamera)?.rejected.map { "\($0)" } ?? []
        return Outcome(result: result, rejected: rejected, session: session)
    }
}
