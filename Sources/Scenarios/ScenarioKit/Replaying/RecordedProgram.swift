public import Services
public import SessionRecording
public import Transport

/// What was run over real sockets and recorded, and runs again on its recording.
public protocol RecordedProgram: Sendable {
    /// The name under which it stands in recordings.
    static var name: String { get }
    /// Virtual time that it may go on beyond its recording before that counts as a difference.
    var patience: Duration { get }

    /// Reads how it was run.
    ///
    /// - Throws: ``ReplayError``, `SessionError`.
    init(_ session: SessionReader) throws

    /// Knows what its datagrams carry, as when it was recorded; `nil` for a program that uses none, which is the default.
    var datagrams: (any DatagramReader)? { get }

    /// What must hold of its screens whatever its peers do, for a search that begins with a recording; nothing unless the type says otherwise.
    static var properties: [ScreenProperty] { get }

    /// Runs it again, on what was recorded instead of the services.
    ///
    /// It takes the recording's contents from the session alone: a search gives other answers and other times than the file has.
    func run(on session: ReplayedSession) async throws
}

extension RecordedProgram {
    /// No datagrams.
    public var datagrams: (any DatagramReader)? { nil }

    /// Nothing.
    public static var properties: [ScreenProperty] { [] }
}

/// A session whose services answer what they answered when it was recorded.
public struct ReplayedSession: Sendable {
    /// The recording.
    public let recording: SessionReader
    /// Time since its start.
    public let clock: SessionClock
    /// Takes the place of all connections.
    public let transport: any Transport
    /// Compares or checks states and actions of the app's screens.
    public let screenLog: any ScreenLog
    /// Takes the place of services of the device.
    public let device: any DeviceServices
    /// Where the program finds the files that it found when it was recorded.
    public let folder: String
    /// What users did, each thing at its time.
    let actions: [RecordedScreen]
    /// When they ended it, in nanoseconds since the start; `nil` where it ended by itself.
    private let stoppedAt: Int64?
    private let camera: @Sendable (_ maker: (any CameraSource)?) throws -> any CameraSource

    /// Stands for every key, as it does in the recording: what a service said of a key, it says of this one.
    public static let secret = Secret(SecretMask.word)

    init(
        _ recording: SessionReader,
        _ clock: SessionClock,
        transport: any Transport,
        screenLog: any ScreenLog,
        device: any DeviceServices,
        actions: [RecordedScreen],
        stoppedAt: Int64?,
        folder: String,
        camera: @escaping @Sendable (_ maker: (any CameraSource)?) throws -> any CameraSource
    ) {
        self.recording = recording
        self.clock = clock
        self.transport = transport
        self.screenLog = screenLog
        self.device = device
        self.actions = actions
        self.stoppedAt = stoppedAt
        self.folder = folder
        self.camera = camera
    }

    /// Takes the place of the camera.
    ///
    /// - Parameter maker: Makes the pictures again, where they were not recorded.
    /// - Throws: `SessionError`.
    public func camera(maker: (any CameraSource)?) throws -> any CameraSource { try camera(maker) }

    /// Takes the place of voice, microphone and recognizer; once in a session.
    ///
    /// - Throws: `SessionError`.
    public func speech() throws -> RecordedSpeech { RecordedSpeech(try device.calls(.speech)) }

    /// Says what was known of the device; once in a session.
    ///
    /// - Throws: `SessionError`.
    public func deviceInformation() throws -> RecordedDeviceInformation {
        RecordedDeviceInformation(try device.calls(.deviceInformation))
    }

    /// Returns when the user stopped the recorded run; never where it ended by itself, unless cancelled.
    public func untilStopped() async {
        if let stoppedAt {
            try? await clock.sleep(until: stoppedAt)
        } else {
            try? await Task.sleep(for: .seconds(86_400))
        }
    }
}
