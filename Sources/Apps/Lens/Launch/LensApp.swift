public import AppKernel
internal import Services

/// The whole app without its screens, wired from what it is given.
///
/// ``launch()`` restores what earlier launches have left and starts the uploads; ``shutdown()`` ends everything that
/// runs and waits for it. The database is the giver's to close, after the shutdown.
public final class LensApp: Sendable {
    /// The user's settings.
    public let settings: SettingsStore
    /// The model's key.
    public let modelKey: ModelKey
    /// The chosen camera.
    public let camera: CameraRouter
    /// The chat history.
    public let conversation: Conversation
    /// What is spoken.
    public let voice: VoiceEngine
    /// The stream to the model.
    public let stream: StreamingSession
    /// Photos and videos.
    public let library: MediaLibrary
    /// Takes photos.
    public let photos: PhotoCapture
    /// Uploads.
    public let uploads: UploadQueue

    private let documents: FileFolder
    private let background = OwnedTasks()

    /// Wires the app; nothing runs before ``launch()``.
    ///
    /// - Throws: `DatabaseFailure` when the database cannot hold the app's tables.
    public init(_ environment: LensEnvironment) throws(DatabaseFailure) {
        let settings = SettingsStore(environment.preferences)
        let camera = CameraRouter(factories: environment.cameras) { type in
            settings.update { $0.lastCameraSource = type }
        }
        let conversation = Conversation(try ConversationStore(environment.database))
        let voice = VoiceEngine(environment.synthesizer)
        let library = try MediaLibrary(environment.database, documents: environment.documents)
        let spoken = SpokenReplies(voice) { settings.current.value.speechEnabled }
        self.settings = settings
        self.camera = camera
        self.conversation = conversation
        self.voice = voice
        self.library = library
        documents = environment.documents
        modelKey = ModelKey(environment.secrets)
        stream = StreamingSession(
            model: environment.model,
            encoder: environment.streamEncoder,
            policy: environment.streaming,
            listeners: [conversation, spoken],
            framesPerSecond: { settings.current.value.framesPerSecond },
            latestFrame: { await camera.latestFrame() }
        )
        photos = PhotoCapture(
            encoder: environment.photoEncoder,
            documents: environment.documents,
            library: library,
            latestFrame: { await camera.latestFrame() }
        )
        uploads = try UploadQueue(
            database: environment.database,
            library: library,
            service: UploadService(
                store: environment.objects,
                documents: environment.documents,
                library: library
            ),
            policy: environment.uploadRetries
        )
    }

    /// Makes the app's tables in a database, as its first launch does.
    public static func makeTables(in database: AppDatabase) throws(DatabaseFailure) {
        _ = try SQLitePreferenceStore(database)
        _ = try ConversationStore(database)
        _ = try MediaLibrary(database, documents: FileFolder(path: "/"))
        _ = try Outbox<Upload>(database: database, name: UploadQueue.name)
    }

    // MARK: Life

    /// Restores the state of earlier launches and starts the uploads.
    ///
    /// Once per object.
    ///
    /// A failure of one step is reported, and the others still run.
    public func launch() async -> LaunchReport {
        var report = LaunchReport()
        run(.documentsPrepared, &report) { _ in try documents.create() }
        run(.keyLoaded, &report) { $0.hasModelKey = try modelKey.read() != nil }

        let source = settings.current.value.lastCameraSource
        await camera.choose(source)
        report.cameraSource = source
        report.steps.append(.cameraSourceRestored)
        if let failure = settings.failure.value { report.problems.append(failure.description) }

        report.unreadableMessages = await conversation.restore()
        report.messages = conversation.messages.value.count
        report.steps.append(.historyLoaded)
        if let failure = conversation.failure.value { report.problems.append(failure.description) }

        run(.uploadsRestored, &report) { report in
            report.adoptedFiles = try library.adoptFiles(wantsUpload: settings.current.value.autoUpload)
            try uploads.restore()
            report.queuedUploads = try uploads.entries().count
            report.problems += try uploads.damages()
        }
        background.replace(with: [Task { [uploads] in await uploads.run() }])
        report.steps.append(.uploadsStarted)
        return report
    }

    /// Ends stream, speech, camera and uploads, and waits for their ends.
    ///
    /// Harmless when repeated.
    public func shutdown() async {
        await stream.stop()
        await voice.stop()
        await camera.disconnect()
        await background.cancelAndWait()
    }

    private func run(
        _ step: LaunchReport.Step,
        _ report: inout LaunchReport,
        _ work: (inout LaunchReport) throws -> Void
    ) {
        do { try work(&report) } catch { report.problems.append("\(error)") }
        report.steps.append(step)
    }

    // MARK: Actions

    /// Connects the chosen camera, then opens a session and starts to stream.
    ///
    /// - Throws: `CameraError` or `LiveModelError`; nothing streams then.
    public func startStreaming() async throws {
        try await camera.connect()
        try await stream.start()
    }

    /// Stops to stream; no picture goes out after this returns.
    ///
    /// The camera stays connected.
    public func stopStreaming() async { await stream.stop() }

    /// Takes a photo, and queues it when uploads are automatic.
    ///
    /// - Throws: `PhotoCaptureError`, and `DatabaseFailure` when it could not be queued.
    @discardableResult
    public func capturePhoto() async throws -> MediaItem {
        let wantsUpload = settings.current.value.autoUpload
        let item = try await photos.capture(wantsUpload: wantsUpload)
        if wantsUpload { try uploads.add(item) }
        return item
    }
}
