import Foundation
import LiveTransport
public import Services
public import SessionRecording
public import SimulatedTransport
import Simulation
public import Transport

/// Runs an app over real sockets and records what crosses its boundary.
///
/// The app runs in a simulation whose pace is real: one thread, seeded entropy, and each message from outside at a
/// moment of its own. That is what makes its recording replayable to the letter; sockets, servers and disk are real.
public struct LiveRecorder: Sendable {
    /// The name under which a ``RecordedProgram`` finds the recording.
    public var name: String
    /// Decides everything that is left to chance in the app.
    public var seed: UInt64
    /// How it is run, as text, for the program that replays it.
    public var parameters: [String: String]
    /// Values that must not be in the file, in whatever place they turn up.
    public var secrets: [Secret]
    /// The folder whose files are an input of the run.
    ///
    /// Files of a store of secrets, and their keys, are no part of a recording, whatever they are called.
    public var folder: String
    /// The files and folders in it that are an input; `nil` for all.
    ///
    /// A database comes with its journal.
    public var inputs: [String]?
    /// Files of the folder, by their paths in it, whose contents the run does not read.
    ///
    /// They are recorded as empty files, so that a replay finds their names.
    public var unread: Set<String>
    /// Where the recording goes.
    public var path: String
    /// What is kept.
    public var retention: Retention

    /// Prepares a recording.
    public init(
        name: String,
        seed: UInt64 = .random(in: 1...999_999),
        parameters: [String: String],
        secrets: [Secret] = [],
        folder: String,
        inputs: [String]? = nil,
        unread: Set<String> = [],
        path: String,
        retention: Retention = .all
    ) {
        self.name = name
        self.seed = seed
        self.parameters = parameters
        self.secrets = secrets
        self.folder = folder
        self.inputs = inputs
        self.unread = unread
        self.path = path
        self.retention = retention
    }

    /// Runs and records; also a run that throws leaves a finished recording, with its error for an outcome.
    ///
    /// - Parameters:
    ///   - stoppedAt: When the user ended the run, in nanoseconds since its start; `nil` when it ended by itself.
    ///   - body: The run, inside the simulation.
    /// - Throws: What the body throws, or `SessionError`.
    public func run<Value: Sendable>(
        stoppedAt: (Value) -> Int64?,
        _ body: @escaping @Sendable (RecordedSession) async throws -> Value
    ) async throws -> (value: Value, recording: SessionReader) {
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(Int64(Date().timeIntervalSince1970 * 1000) * 1_000_000)
        let manifest = SessionManifest(
            scenario: name,
            fidelity: .loopback,
            seed: seed,
            parameters: parameters,
            startOfTime: configuration.startOfTime.nanoseconds,
            recordedBy: LensSimVersion.current
        )
        let writer = try SessionWriter(
            path: path,
            manifest: manifest,
            secrets: secrets,
            retention: retention
        )
        let simulation = Simulation(seed: seed, configuration: configuration)
        // What a killed process leaves is no older than this.
        let flushing = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { writer.flush() }
        }
        defer { flushing.cancel() }
        let value: Value
        let report: SimulationReport
        do {
            try keepFiles(writer)
            (value, report) = try await simulation.runOnOwnThread { try await body(RecordedSession(writer)) }
        } catch {
            try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: "\(error)"))
            throw error
        }
        let outcome = SessionOutcome(
            steps: report.steps,
            nanoseconds: report.time.nanoseconds,
            hash: report.hash,
            failure: nil,
            stoppedAt: stoppedAt(value)
        )
        return (value, try writer.finishAndRead(outcome))
    }

    /// Keeps the app's files as they are at the start, one after the other: memory holds no more than the largest and a batch.
    private func keepFiles(_ writer: SessionWriter) throws {
        let files = RunFolder(path: folder)
        for name in files.names() where isInput(name) {
            writer.add(file: name, bytes: unread.contains(name) ? [] : try files.read(name))
        }
    }
}

extension LiveRecorder {
    private func isInput(_ name: String) -> Bool {
        inputs?.contains { name == $0 || name.hasPrefix($0 + "/") || name.hasPrefix($0 + "-") } ?? true
    }
}

/// A session that is being recorded.
public struct RecordedSession: Sendable {
    /// Time since its start.
    public let clock: SessionClock
    private let writer: SessionWriter

    fileprivate init(_ writer: SessionWriter) {
        self.writer = writer
        clock = SessionClock()
    }

    /// Where states and actions of the app's screens are recorded.
    public var screenLog: ScreenRecorder { ScreenRecorder(writer: writer, clock: clock) }

    /// The way to the services, over a transport of the world outside the simulation.
    ///
    /// - Parameters:
    ///   - base: The transport of that world.
    ///   - datagrams: Knows what datagrams carry; without it none are sent. See `RecordedProgram.datagrams`.
    public func transport<Base: Transport>(
        _ base: Base,
        datagrams: (any DatagramReader)? = nil
    ) -> RecordingTransport<OutsideTransport<Base>> {
        RecordingTransport(OutsideTransport(base), writer: writer, clock: clock, datagrams: datagrams)
    }

    /// A store of secrets, none of which gets into the recording from then on.
    public func secrets(_ base: any SecretStore) -> RecordingSecretStore {
        RecordingSecretStore(base, writer: writer)
    }

    /// A voice, a microphone and a recognizer of the world outside the simulation, with each call recorded; once in a session.
    public func speech(
        voice: any SpeechSynthesizer,
        recognizer: any SpeechRecognizer,
        microphone: any Microphone
    ) -> RecordedSpeech {
        RecordedSpeech(calls(.speech), voice: voice, recognizer: recognizer, microphone: microphone)
    }

    /// What is known of the device, with each answer recorded; once in a session.
    public func deviceInformation(_ device: any DeviceInformation) -> RecordedDeviceInformation {
        RecordedDeviceInformation(calls(.deviceInformation), device: device)
    }

    /// Records calls of one kind to a service of the device; once in a session for each.
    public func calls<Request, Reply>(
        _ kind: DeviceCall<Request, Reply>
    ) -> DeviceCallRecorder<Request, Reply> {
        DeviceCallRecorder(kind, writer: writer, clock: clock)
    }

    /// The camera, with each look at it recorded.
    ///
    /// - Parameters:
    ///   - base: The camera that is looked at.
    ///   - keepsPictures: Whether pictures are recorded too, because nobody can make them again.
    public func camera(_ base: any CameraSource, keepsPictures: Bool) -> RecordingCamera {
        RecordingCamera(base, writer: writer, clock: clock, keepsPictures: keepsPictures)
    }
}
