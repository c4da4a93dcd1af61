public import AppKernel
public import Services

/// Everything that the app takes from outside.
public struct LensEnvironment: Sendable {
    /// How to make each kind of camera.
    public var cameras: [CameraSourceType: CameraRouter.Factory]
    /// The model that watches.
    public var model: any LiveModel
    /// Makes the pictures that are streamed, below the service's limit.
    public var streamEncoder: any FrameEncoder
    /// Makes the photos that are kept.
    public var photoEncoder: any FrameEncoder
    /// Where uploads go.
    public var objects: any ObjectStore
    /// Keeps keys.
    public var secrets: any SecretStore
    /// Keeps settings.
    public var preferences: any PreferenceStore
    /// Speaks.
    public var synthesizer: any SpeechSynthesizer
    /// Keeps history, media notes and the upload queue.
    public var database: AppDatabase
    /// Where photos go; created at launch.
    public var documents: FileFolder
    /// What is asked of the model.
    public var streaming: StreamingPolicy
    /// How failed uploads are repeated.
    public var uploadRetries: RetryPolicy

    /// Collects the parts; uploads are repeated three times by themselves, after 1, 2 and 4 seconds.
    public init(
        cameras: [CameraSourceType: CameraRouter.Factory],
        model: any LiveModel,
        streamEncoder: any FrameEncoder,
        photoEncoder: any FrameEncoder,
        objects: any ObjectStore,
        secrets: any SecretStore,
        preferences: any PreferenceStore,
        synthesizer: any SpeechSynthesizer,
        database: AppDatabase,
        documents: FileFolder,
        streaming: StreamingPolicy,
        uploadRetries: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4))
    ) {
        self.cameras = cameras
        self.model = model
        self.streamEncoder = streamEncoder
        self.photoEncoder = photoEncoder
        self.objects = objects
        self.secrets = secrets
        self.preferences = preferences
        self.synthesizer = synthesizer
        self.database = database
        self.documents = documents
        self.streaming = streaming
        self.uploadRetries = uploadRetries
    }
}
