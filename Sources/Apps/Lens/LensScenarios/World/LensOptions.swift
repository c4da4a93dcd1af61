public import GeminiServer
public import Lens
public import Services
public import SimulatedDevice
public import SimulatedTransport
public import SupabaseStorage
public import Transport

/// What may differ between worlds around the same app.
public struct LensOptions: Sendable {
    /// What the phone's camera sees.
    public enum Scene: Sendable {
        /// A drawn living room, in which something happens now and then; a second camera that is fake shows the front of the house.
        case room
        /// The front of a house, with its garden and the street.
        case frontDoor
        /// Moving shapes with a frame code; `detail` is 0…1.
        case shapes(detail: Double)
        /// New noise in every frame, which no JPEG quality makes small.
        case noise
        /// Ready JPEG files in turn.
        case prepared(PreparedFrames)
        /// Photographs in a folder, or a Motion-JPEG file.
        case input(path: String)
    }

    /// The phone's second camera.
    public enum NetworkCamera: Sendable {
        /// One like the first, without a network.
        case fake
        /// A simulated Wi-Fi camera on the host `camera`, where the world is simulated; its credentials are kept or not.
        case simulated(isSetUp: Bool)
        /// The same, as it comes out of its box: on no network, with its label before the phone's own camera while
        /// ``SimulatedWiFiCamera/label`` holds it, and before the phone's screen all the time.
        case new
    }

    /// The phone's second camera.
    public var networkCamera = NetworkCamera.fake
    /// Width and height of the camera's pictures.
    public var size = PixelSize(width: 320, height: 180)
    /// Frames a second of the camera.
    public var cameraRate = 30.0
    /// How long it takes to switch on a camera.
    public var cameraStartup = Duration.zero
    /// What the user allows.
    public var permissions = SimulatedPermissions.Script()
    /// What the camera sees.
    public var scene = Scene.shapes(detail: 0.2)
    /// What is heard each time the user is listened to, in order, since the phone was started; nothing after that.
    public var spoken: [[SimulatedSpeechRecognizer.Step]] = []
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// Whether photos are uploaded without asking.
    public var autoUpload = true
    /// What the model's server says and how it fails.
    public var script = GeminiScript()
    /// The limits of the model's server.
    public var gemini = GeminiServerSettings(keys: [LensOptions.modelKey])
    /// Between every two hosts of a simulated world.
    public var link = LinkConditions(latency: .exponential(mean: .milliseconds(20)))
    /// How large objects are uploaded in parts.
    public var uploadParts = UploadParts.queued
    /// Whether the app's database is a file, so that it survives a crash of the phone; memory is faster.
    public var keepsDatabase = false
    /// Whether the phone's disk loses unsynced writes when the phone loses its power: photos, and the database where it is
    /// a file (``keepsDatabase``).
    ///
    /// Has no effect over real sockets, where the app's files are the machine's.
    public var losesUnsyncedWrites = false

    /// Makes the model that answers questions, with what reaches the world's hosts, each time the phone starts; `nil` for Gemini's.
    ///
    /// Its service is hosted by the test, as `network.host("name").listen(server, at: address)`.
    public var chatModel: (@Sendable (any HTTPClient) -> any ChatModel)?

    /// Changes what the app takes from outside, each time the phone starts: a test replaces one service, and has all
    /// others as the world made them.
    public var adjust: @Sendable (inout LensEnvironment) -> Void = { _ in }

    /// The defaults: a small, quiet world.
    public init() {}

    /// The same, for a second camera that is fake: in a drawn room it shows the front of the house.
    var atSecondCamera: LensOptions {
        guard case .room = scene else { return self }
        var options = self
        options.scene = .frontDoor
        return options
    }

    /// The key that the simulated model accepts.
    ///
    /// It opens nothing else.
    public static let modelKey = "simulated-gemini-key"
    /// The live model that is asked.
    public static let modelName = "gemini-live-2.5-flash-preview"
    /// The bucket that takes the photos.
    public static let bucket = "lens"
}
