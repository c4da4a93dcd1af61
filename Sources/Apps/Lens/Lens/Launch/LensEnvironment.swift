public import AppKernel
public import Concurrency
public import Files
public import Services

/// Everything that the app takes from outside.
public struct LensEnvironment: Sendable {
    /// How to make each kind of camera.
    public var cameras: [CameraSourceType: CameraRouter.Factory]
    /// Makes what reaches the cameras of the network, when it is first needed; `nil` where there are none, or ``cameras`` has one.
    public var networkCameras: DeviceEngine.Factory?
    /// Reads and makes the codes with which new ones are set up; `nil` where none can be.
    public var cameraCodes: CameraCodes?
    /// The model that watches.
    public var model: any LiveModel
    /// The model that answers while none watches.
    public var chatModel: any ChatModel
    /// What is asked of it.
    public var chat: ChatPolicy
    /// Makes the pictures that are sent to it, below the same limit as those that are streamed.
    public var chatPictures: any FrameEncoder
    /// Makes the pictures that are streamed, below the service's limit.
    public var streamEncoder: any FrameEncoder
    /// Makes the photos that are kept, and the pictures of videos.
    public var photoEncoder: any FrameEncoder
    /// Where uploads go.
    public var objects: any ObjectStore
    /// Which store ``objects`` is, the same at every launch: what was asked of or brought to another one counts for nothing here.
    public var storeIdentity: String
    /// Knows whether there is a network: without one uploads wait, and no question is sent.
    public var network: any NetworkMonitor
    /// Decides what the app may use.
    public var permissions: any PermissionAuthority
    /// Keeps keys.
    public var secrets: any SecretStore
    /// Keeps settings.
    public var preferences: any PreferenceStore
    /// The settings that the user has not set; never kept, so that they hold in this environment alone.
    public var initialSettings: LensSettings
    /// Speaks.
    public var synthesizer: any SpeechSynthesizer
    /// Understands what the user says.
    public var recognizer: any SpeechRecognizer
    /// Hears the user.
    public var microphone: any Microphone
    /// How long the user may take to begin, when listened to; the recognizer's own time counts.
    public var hearingPatience: Duration
    /// Keeps history, media notes and the upload queue.
    public var database: AppDatabase
    /// Where photos go; created at launch.
    public var documents: FileFolder
    /// What is asked of the model.
    public var streaming: StreamingPolicy
    /// Whether each uploaded object says type, size and the time at which it was taken.
    public var sendsUploadMetadata: Bool
    /// How failed uploads are repeated.
    public var uploadRetries: RetryPolicy
    /// How long the camera stays on when nobody looks at it any more.
    public var cameraGrace: Duration
    /// How long a launch waits for what reaches the cameras of the network, which goes on starting after that.
    public var enginePatience: Duration = .seconds(5)
    /// What the user can know of the program.
    public var about: AboutLens

    /// Collects the parts; uploads are repeated three times by themselves, after 1, 2 and 4 seconds, everything is permitted, nobody
    /// watches the network, and nobody is listened to.
    public init(
        cameras: [CameraSourceType: CameraRouter.Factory],
        networkCameras: DeviceEngine.Factory? = nil,
        cameraCodes: CameraCodes? = nil,
        model: any LiveModel,
        chatModel: any ChatModel,
        chat: ChatPolicy = ChatPolicy(),
        chatPictures: any FrameEncoder,
        streamEncoder: any FrameEncoder,
        photoEncoder: any FrameEncoder,
        objects: any ObjectStore,
        storeIdentity: String,
        secrets: any SecretStore,
        preferences: any PreferenceStore,
        initialSettings: LensSettings = LensSettings(),
        synthesizer: any SpeechSynthesizer,
        recognizer: any SpeechRecognizer = NoSpeechInput(),
        microphone: any Microphone = NoSpeechInput(),
        hearingPatience: Duration = .seconds(5),
        database: AppDatabase,
        documents: FileFolder,
        streaming: StreamingPolicy,
        network: any NetworkMonitor = UnwatchedNetwork(),
        permissions: any PermissionAuthority = UnrestrictedPermissions(),
        sendsUploadMetadata: Bool = false,
        uploadRetries: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4)),
        cameraGrace: Duration = .seconds(3),
        about: AboutLens = AboutLens()
    ) {
        self.cameras = cameras
        self.networkCameras = networkCameras
        self.cameraCodes = cameraCodes
        self.model = model
        self.chatModel = chatModel
        self.chat = chat
        self.chatPictures = chatPictures
        self.streamEncoder = streamEncoder
        self.photoEncoder = photoEncoder
        self.objects = objects
        self.storeIdentity = storeIdentity
        self.network = network
        self.permissions = permissions
        self.secrets = secrets
        self.preferences = preferences
        self.initialSettings = initialSettings
        self.synthesizer = synthesizer
        self.recognizer = recognizer
        self.microphone = microphone
        self.hearingPatience = hearingPatience
        self.database = database
        self.documents = documents
        self.streaming = streaming
        self.sendsUploadMetadata = sendsUploadMetadata
        self.uploadRetries = uploadRetries
        self.cameraGrace = cameraGrace
        self.about = about
    }
}
