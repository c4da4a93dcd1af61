public import AppKernel
public import Concurrency
public import Files
public import Foundation
public import Services

/// The whole app without its screens, wired from what it is given.
///
/// ``launch()`` restores what earlier launches have left and starts the uploads; ``shutdown()`` ends everything that
/// runs and waits for it. The database is the giver's to close, after the shutdown.
public final class LensApp: Sendable {
    /// What the user can know of the program.
    public let about: AboutLens
    /// The kinds of camera that there are.
    public let cameraTypes: [CameraSourceType]
    /// What the user has allowed.
    public var permissions: Published<PermissionStates> { authority.states }
    /// The user's settings.
    public let settings: SettingsStore
    /// The model's key.
    public let modelKey: ModelKey
    /// The chosen camera.
    public let camera: CameraRouter
    /// The camera of the network; `nil` where there can be none.
    public let networkCamera: NetworkCamera?
    /// The setup of a new one; `nil` where no codes can be read and made.
    public let cameraSetup: CameraSetup?
    /// The chat history.
    public let conversation: Conversation
    /// Questions and answers while no stream runs.
    public let chat: Chat
    /// Questions about one video, outside the conversation.
    public let videoAnalysis: VideoAnalysis
    /// Videos that are attached to messages, and none of the gallery's.
    public let clips: ChatClips
    /// What is spoken.
    public let voice: VoiceEngine
    /// What the user says aloud.
    public let voiceInput: VoiceInput
    /// The stream to the model.
    public let stream: StreamingSession
    /// Photos and videos.
    public let library: MediaLibrary
    /// Takes photos.
    public let photos: PhotoCapture
    /// Records videos.
    public let recorder: VideoRecorder
    /// Reads them.
    public let videos: Videos
    /// The photos' and videos' small pictures.
    public let thumbnails: Thumbnails
    /// Uploads.
    public let uploads: UploadQueue
    /// Photos and videos as people see them.
    public let gallery: Gallery

    /// Whether the launch is over, and screens show the app.
    public var isLaunched: Published<Bool> { launched.published }

    /// Whether the stream is being started, from the connecting of its camera on.
    public var isStartingStream: Published<Bool> { streamStart.isUnderWay }

    private let spoken: SpokenReplies
    private let authority: Permissions
    private let streamStart: StreamStart
    private let documents: FileFolder
    private let enginePatience: Duration
    private let network: any NetworkMonitor
    private let launched = CurrentValue(false)
    private let background = OwnedTasks()

    /// Wires the app; nothing runs before ``launch()``.
    ///
    /// - Throws: `DatabaseFailure` when the database cannot hold the app's tables.
    public init(_ environment: LensEnvironment) throws(DatabaseFailure) {
        let settings = SettingsStore(environment.preferences, initial: environment.initialSettings)
        let permissions = Permissions(environment.permissions)
        let streaming = CurrentValue<Published<StreamingState>?>(nil)
        let recording = CurrentValue<Published<VideoRecorder.Status>?>(nil)
        let networkCamera = environment.networkCameras.map {
            NetworkCamera(DeviceEngine($0), CameraKey(environment.secrets))
        }
        self.networkCamera = networkCamera
        var factories = environment.cameras
        if let networkCamera {
            factories[.veepaWiFi] = networkCamera.make
        }
        let camera = CameraRouter(
            factories: factories,
            sourceConnected: { type in settings.update { $0.lastCameraSource = type } },
            authorize: { type throws(CameraError) in
                // A camera on the network needs no permission of this device.
                guard type == .local else { return }
                guard await permissions.request(.camera) == .granted else { throw .permissionDenied }
            },
            isStreaming: { (streaming.value?.value.phase ?? .idle) != .idle },
            isRecording: { (recording.value?.value.phase ?? .idle) != .idle },
            pictureSize: { settings.current.value.videoResolution.size },
            viewerGrace: environment.cameraGrace
        )
        cameraSetup = networkCamera.flatMap { networkCamera in
            environment.cameraCodes.map { CameraSetup(networkCamera.setupParts($0, on: camera)) }
        }
        let conversation = Conversation(try ConversationStore(environment.database))
        let voice = VoiceEngine(environment.synthesizer)
        let library = try MediaLibrary(
            environment.database,
            documents: environment.documents,
            store: environment.storeIdentity
        )
        let spoken = SpokenReplies(voice) { settings.current.value.speechEnabled }
        self.spoken = spoken
        about = environment.about
        cameraTypes = CameraSourceType.allCases.filter { factories[$0] != nil }
        authority = permissions
        self.settings = settings
        self.camera = camera
        self.conversation = conversation
        self.voice = voice
        voiceInput = VoiceInput(
            recognizer: environment.recognizer,
            microphone: environment.microphone,
            permissions: permissions,
            voice: voice,
            patience: environment.hearingPatience
        )
        self.library = library
        documents = environment.documents
        enginePatience = environment.enginePatience
        network = environment.network
        modelKey = ModelKey(environment.secrets)
        chat = Chat(
            conversation,
            model: environment.chatModel,
            spoken: spoken,
            pictures: environment.chatPictures,
            documents: environment.documents,
            network: environment.network,
            policy: environment.chat
        )
        clips = ChatClips(documents: environment.documents)
        stream = StreamingSession(
            model: environment.model,
            encoder: environment.streamEncoder,
            policy: environment.streaming,
            listeners: [conversation, spoken],
            framesPerSecond: { settings.current.value.framesPerSecond },
            latestFrame: { await camera.latestFrame() }
        )
        streaming.set(stream.state)
        streamStart = StreamStart(camera: camera, stream: stream)
        let thumbnails = Thumbnails(documents: environment.documents)
        self.thumbnails = thumbnails
        videos = Videos(documents: environment.documents)
        photos = PhotoCapture(
            encoder: environment.photoEncoder,
            documents: environment.documents,
            library: library,
            thumbnails: thumbnails,
            frame: { () async throws(CameraError) in try await camera.frame() }
        )
        let uploads = try UploadQueue(
            database: environment.database,
            library: library,
            service: UploadService(
                store: environment.objects,
                documents: environment.documents,
                library: library,
                sendsMetadata: environment.sendsUploadMetadata
            ),
            policy: environment.uploadRetries
        )
        self.uploads = uploads
        let gallery = Gallery(database: environment.database, library: library, uploads: uploads)
        self.gallery = gallery
        videoAnalysis = VideoAnalysis(
            model: environment.chatModel,
            pictures: environment.chatPictures,
            documents: environment.documents,
            network: environment.network,
            policy: environment.chat
        ) { address in gallery.content.value.items.first { $0.remoteURL == address }?.url }
        recorder = VideoRecorder(
            encoder: environment.photoEncoder,
            documents: environment.documents,
            library: library,
            thumbnails: thumbnails,
            frames: { (limit) async throws(CameraError) in try await camera.frames(limit: limit) },
            recorded: { item, wantsUpload in
                var failure: DatabaseFailure?
                do throws(DatabaseFailure) {
                    if wantsUpload { try uploads.add(item) }
                } catch {
                    failure = error
                }
                await gallery.refresh()
                return failure
            },
            ended: { await camera.noteRecordingEnd() }
        )
        recording.set(recorder.status)
    }

    /// Makes the app's tables in a database, as its first launch does.
    public static func makeTables(in database: AppDatabase) throws(DatabaseFailure) {
        _ = try SQLitePreferenceStore(database)
        _ = try ConversationStore(database)
        _ = try MediaLibrary(database, documents: FileFolder(path: "/"), store: "")
        _ = try UploadQueue.outbox(in: database, store: "")
    }

    // MARK: Life

    /// Restores the state of earlier launches and starts the uploads.
    ///
    /// Once per object.
    ///
    /// The steps run in the order of ``LaunchReport/Step``, each with an outcome of its own: one that fails keeps no other
    /// from running.
    public func launch() async -> LaunchReport {
        var report = LaunchReport()
        let current = settings.current.value
        await prepareEngine(current.lastCameraSource, &report)
        report.permissions = await authority.check()
        report.note(.permissionsChecked, .done)
        // Screens know it before it is asked for.
        await networkCamera?.needsSetUp()
        await run(.keyLoaded, &report) { $0.hasModelKey = try await modelKey.read() != nil }
        await run(.documentsPrepared, &report) { _ in
            try documents.create()
            // Nothing creates files yet: what is half-written was left by a process that was killed.
            try documents.removePartialFiles()
        }

        await camera.choose(current.lastCameraSource)
        report.cameraSource = current.lastCameraSource
        report.note(.cameraSourceRestored, Self.outcome(of: settings.failure.value))

        report.unreadableMessages = await conversation.restore()
        report.messages = conversation.content.value.messages.count
        report.note(.historyLoaded, Self.outcome(of: conversation.content.value.failure))

        await restoreMedia(&report)
        // Known before the first of them is tried.
        await uploads.setOnline(network.isConnected)
        background.replace(with: [
            Task { [uploads] in await uploads.run() },
            Task { [uploads, network] in
                for await isConnected in network.changes() { await uploads.setOnline(isConnected) }
            },
            Task { [gallery] in await gallery.run() },
            Task { [camera, stream] in
                for await state in stream.state.values() where state.phase == .idle {
                    await camera.noteStreamEnd()
                }
            },
            Task { [camera, settings] in
                for await _ in settings.current.values() { await camera.applyPictureSize() }
            },
        ])
        report.note(.uploadsStarted, .done)
        launched.set(true)
        report.note(.navigationShown, .done)
        return report
    }

    /// The engine takes its time to start: it does so now where the camera of the network was used last, and not at all before it is
    /// used elsewhere.
    private func prepareEngine(_ source: CameraSourceType, _ report: inout LaunchReport) async {
        guard source == .veepaWiFi, let networkCamera else {
            return report.note(.deviceEnginePrepared, .skipped)
        }
        await run(.deviceEnginePrepared, &report) { _ in
            try await networkCamera.engine.start(within: enginePatience)
        }
    }

    private func restoreMedia(_ report: inout LaunchReport) async {
        await run(.deletionsFinished, &report) { _ in
            try library.finishDeletions()
            try await clips.sweep { try await conversation.videoFiles() }
        }
        await run(.filesAdopted, &report) {
            $0.adoptedFiles = try library.adoptFiles()
        }
        await gallery.restore()
        report.note(.galleryRestored, Self.outcome(of: gallery.failure.value))
        await run(.uploadsRestored, &report) { report in
            try uploads.restore()
            report.queuedUploads = try uploads.entries().count
        }
        // What cannot be read at all was an outcome above.
        report.damages += ((try? library.damages()) ?? []) + ((try? uploads.damages()) ?? [])
        await gallery.refresh()
    }

    /// Ends listening, recording, stream, speech, the setup of a camera, cameras and uploads, and waits for their ends.
    ///
    /// Idempotent.
    public func shutdown() async {
        await voiceInput.stop()
        await recorder.stop()
        await streamStart.stop()
        await chat.stop()
        await voice.stop()
        await cameraSetup?.cancel()
        await camera.disconnect()
        await networkCamera?.engine.stop()
        await background.cancelAndWait()
    }

    private func run(
        _ step: LaunchReport.Step,
        _ report: inout LaunchReport,
        _ work: (inout LaunchReport) async throws -> Void
    ) async {
        do {
            try await work(&report)
            report.note(step, .done)
        } catch {
            report.note(step, .failed("\(error)"))
        }
    }

    private static func outcome(of failure: (any CustomStringConvertible)?) -> LaunchReport.Outcome {
        failure.map { .failed($0.description) } ?? .done
    }

    // MARK: Actions

    /// Connects the chosen camera, then opens a session and starts to stream.
    ///
    /// A camera that no viewer has asked for stays connected when the stream ends.
    ///
    /// - Throws: `CameraError` or `LiveModelError`, which is `cancelled` when ``stopStreaming()`` came between; nothing
    ///   streams then.
    public func startStreaming() async throws {
        try await streamStart.start()
        // The session answers from now on. A start that fails leaves the chat's answer alone.
        await chat.stop()
        await chat.dismissFailure()
    }

    /// Stops to stream, also while that is only being started; no picture goes out after this returns.
    ///
    /// The camera stays connected, unless it was connected for viewers that have all gone.
    public func stopStreaming() async { await streamStart.stop() }

    /// Connects the camera for somebody who looks at it, such as one page of a browser; several share it.
    ///
    /// A camera that was turned off (``CameraRouter/turnOff()``) stays off. The viewer counts also when this throws, until ``hideCamera(_:)``.
    ///
    /// - Parameter viewer: Names the viewer; showing one twice counts once.
    /// - Throws: What ``CameraRouter/switchTo(_:)`` throws.
    public func showCamera(_ viewer: UUID) async throws(CameraError) { try await camera.show(viewer) }

    /// Ends what ``showCamera(_:)`` began: the last viewer that goes disconnects the camera, after
    /// ``LensEnvironment/cameraGrace`` without another, unless a stream runs, and then the end of that stream does, where
    /// the camera was connected for viewers.
    ///
    /// Idempotent, also for a viewer whose camera is still being connected.
    public func hideCamera(_ viewer: UUID) async { await camera.hide(viewer) }

    /// Keeps credentials for the camera of the network, and connects it with them.
    ///
    /// Where they can never be right, such as those with a wrong password, and where the calling task is cancelled, what was kept before is
    /// kept again.
    ///
    /// - Throws: `unknown` with a `SecretStoreError` where they cannot be kept, so that nothing is changed; else what
    ///   ``CameraRouter/switchTo(_:)`` throws.
    public func setUpNetworkCamera(_ credentials: CameraCredentials) async throws(CameraError) {
        guard let networkCamera else { throw .deviceNotFound }
        try await networkCamera.setUp(credentials, on: camera)
    }

    /// Forgets the credentials of the camera of the network, which is disconnected.
    public func forgetNetworkCamera() async throws(SecretStoreError) {
        guard let networkCamera else { return }
        try await networkCamera.keep(nil)
        if camera.status.value.source == .veepaWiFi { await camera.disconnect() }
    }

    /// Takes a photo, and queues it when uploads are automatic.
    ///
    /// - Throws: `CameraError` where there is no picture, else ``PhotoCaptureError``, with the photo where it was taken and could
    ///   not be queued.
    @discardableResult
    public func capturePhoto() async throws -> MediaItem {
        let wantsUpload = settings.current.value.autoUpload
        let item = try await photos.capture(wantsUpload: wantsUpload)
        var failure: PhotoCaptureError?
        do throws(DatabaseFailure) {
            if wantsUpload { try uploads.add(item) }
        } catch {
            failure = .notQueued(item, error)
        }
        await gallery.refresh()
        if let failure { throw failure }
        return item
    }

    /// Begins to record the connected camera; the video is queued when uploads are automatic.
    ///
    /// - Throws: What ``VideoRecorder/start(wantsUpload:)`` throws.
    public func startRecording() async throws(CameraError) {
        try await recorder.start(wantsUpload: settings.current.value.autoUpload)
    }

    /// Ends the recording, and returns the video, which is in the gallery then; `nil` where there is none.
    ///
    /// Why there is none is in ``VideoRecorder/status``.
    @discardableResult
    public func stopRecording() async -> MediaItem? { await recorder.stop() }

    /// Whether a stream runs or is being started, so that what is said goes to its session.
    public var isStreamActive: Bool { stream.state.value.phase != .idle || isStartingStream.value }

    /// Says something to the model, and keeps it in the conversation: to the session while a stream runs, else to the chat.
    ///
    /// - Throws: `LiveModelError` or ``ChatFailure``; the conversation has nothing of it then, unless it was cancelled.
    public func say(_ text: String) async throws { try await say(ChatDraft(text)) }

    /// Says something as ``say(_:)`` does, with a picture or video where no stream runs.
    ///
    /// - Throws: `LiveModelError` or ``ChatFailure``; the conversation has nothing of it then, unless it was cancelled.
    public func say(_ draft: ChatDraft) async throws {
        guard isStreamActive else {
            // One that is answering refuses, and goes on speaking.
            if !chat.state.value.isAnswering { await voice.stop() }
            return try await chat.send(draft)
        }
        guard draft.picture == nil, draft.video == nil else { throw ChatFailure.pictureWhileStreaming }
        await spoken.userBegan()
        let message = ChatMessage(role: .user, content: .text(draft.text))
        // Kept first: the answer to a question that nobody finds again is no use.
        await conversation.append(message)
        do throws(LiveModelError) { try await stream.say(draft.text) } catch {
            await conversation.withdraw(message.id)
            throw error
        }
    }

    /// Reads the file of a photo.
    ///
    /// - Throws: `FileFailure`; `missing` for a photo that was deleted.
    @concurrent
    public func file(ofPhoto id: UUID) async throws(FileFailure) -> [UInt8] {
        try documents.read(MediaLibrary.fileName(of: id, kind: .photo), upTo: JPEGFrameEncoder.photoLimit)
    }

    /// Asks the chat's last question again, if it has no whole answer and no stream runs.
    ///
    /// - Throws: ``ChatFailure/busy``.
    public func askAgain() async throws(ChatFailure) {
        guard !isStreamActive else { return }
        try await chat.retry()
    }

    /// Forgets the conversation, with the answer that is being given, and removes its clips.
    public func clearConversation() async {
        await chat.stop()
        await conversation.clear()
        // What cannot be removed now is at the next launch.
        try? await clips.sweep { try await conversation.videoFiles() }
    }
}
