import FakeCamera
import Foundation
import GeminiLive
import ImageFolderCamera
import Lens
public import LiveTransport
import Services
public import SessionRecording
import SimulatedTransport
import Simulation

/// A full run of the app over real sockets of this machine, recorded.
///
/// The app runs in a simulation whose pace is real: one thread, seeded entropy, and each message from outside at a
/// moment of its own. That is what makes its recording replayable to the letter; sockets, servers and disk are real.
public struct Demo: Sendable {
    /// What it does.
    public var settings: DemoSettings
    /// Where the app keeps its files between runs.
    public var phoneFolder: String
    /// Where the recording goes.
    public var sessionPath: String

    /// Prepares a demonstration.
    public init(settings: DemoSettings, phoneFolder: String, sessionPath: String) {
        self.settings = settings
        self.phoneFolder = phoneFolder
        self.sessionPath = sessionPath
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
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000)
        var addresses = addresses
        addresses.supabase = addresses.supabase.map(LensAddresses.plain)
        let writer = try SessionWriter(
            path: sessionPath,
            manifest: manifest(addresses, configuration),
            secrets: [addresses.geminiKey, addresses.supabaseKey].compactMap { $0 }
        )
        try keepFiles(writer)
        let simulation = Simulation(seed: settings.seed, configuration: configuration)
        let places = addresses
        let camera = LensPhone.camera(settings.options, seed: settings.seed)
        let result: DemoResult
        let report: SimulationReport
        do {
            (result, report) = try await simulation.runOnOwnThread {
                let clock = SessionClock()
                let phone = try LensPhone(
                    settings.options,
                    addresses: places,
                    transport: RecordingTransport(OutsideTransport(transport), writer: writer, clock: clock),
                    camera: RecordingCamera(
                        camera,
                        writer: writer,
                        clock: clock,
                        keepsPictures: settings.input != nil
                    ),
                    folder: phoneFolder,
                    databasePath: phoneFolder + "/lens.sqlite"
                )
                return try await DemoScript(
                    phone: phone,
                    seconds: settings.seconds,
                    clock: clock,
                    stopRequest: { await Simulation.outside(stop) },
                    tell: tell
                ).run()
            }
        } catch {
            try writer.finish(
                SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: "\(error)")
            )
            throw error
        }
        let session = try writer.finishAndRead(
            SessionOutcome(report, stoppedAt: result.stoppedAt, failure: nil)
        )
        let rejected = (camera as? ImageFolderCamera)?.rejected.map { "\($0)" } ?? []
        return Outcome(result: result, rejected: rejected, session: session)
    }

    private func manifest(
        _ addresses: LensAddresses,
        _ configuration: Simulation.Configuration
    ) -> SessionManifest {
        SessionManifest(
            scenario: Self.scenarioName,
            fidelity: .loopback,
            seed: settings.seed,
            parameters: settings.parameters(addresses),
            startOfTime: configuration.startOfTime.nanoseconds,
            recordedBy: LensSimVersion.current
        )
    }

    /// The name under which demonstrations stand in recordings.
    public static let scenarioName = "demo"

    /// Keeps the app's files as they are at the start: they are an input of the run.
    private func keepFiles(_ writer: SessionWriter) throws {
        let root = URL(filePath: phoneFolder)
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: phoneFolder) else { return }
        for name in names.sorted() {
            let file = root.appending(path: name)
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else {
                continue
            }
            writer.add(file: name, bytes: Array(try Data(contentsOf: file)))
        }
    }
}

extension SessionOutcome {
    init(_ report: SimulationReport, stoppedAt: Int64?, failure: String?) {
        self.init(
            steps: report.steps,
            nanoseconds: report.time.nanoseconds,
            hash: report.hash,
            failure: failure,
            stoppedAt: stoppedAt
        )
    }
}
