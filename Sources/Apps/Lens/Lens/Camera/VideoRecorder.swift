public import AppKernel
public import Concurrency
public import Files
internal import Foundation
internal import JPEG
internal import QuickTime
public import Services

/// Records the connected camera as `video_<id>.mov` into the documents folder.
///
/// The file grows under its own name, and what is in it plays at any moment: a process that is killed leaves a video that
/// lacks less than its last second, and ``MediaLibrary/adoptFiles()`` finds it. Each half second is made durable.
///
/// A recording ends when it is stopped, when its camera goes or another is chosen, when its pictures come in another size,
/// since a track has one, and when it cannot be written. A full
/// disk leaves the video up to there; after any other failure of the disk its file is removed.
public actor VideoRecorder {
    /// What is being recorded.
    public struct Status: Sendable, Hashable {
        /// Where a recording stands.
        public enum Phase: String, Sendable, Hashable, CaseIterable {
            /// Nothing is recorded.
            case idle
            /// Waits for the first picture; there is no file yet.
            case starting
            /// The file grows.
            case recording
            /// The recording was ended, and the file is not whole yet.
            case finishing
        }

        /// Where the recording stands.
        public internal(set) var phase: Phase = .idle
        /// How long the recording is, in whole seconds; when it has ended, exactly.
        public internal(set) var duration: Duration = .zero
        /// Pictures of this recording that were left out: they came faster than they could be written.
        public internal(set) var droppedFrames: Int = 0
        /// The last recording that was completed.
        public internal(set) var lastVideo: MediaItem?
        /// Why that one could not be queued for the upload that is wanted; the next launch does it.
        public internal(set) var notQueued: DatabaseFailure?
        /// How many were completed.
        public internal(set) var completed: Int = 0
        /// Why the last recording that had begun was not completed; that one did not begin is the error of its start alone.
        public internal(set) var error: CameraError?

        /// Whether there is a file that is not whole yet.
        public var isRecording: Bool { phase == .recording || phase == .finishing }

        /// Compares by value; errors by what they say.
        public static func == (left: Status, right: Status) -> Bool {
            left.phase == right.phase && left.duration == right.duration
                && left.droppedFrames == right.droppedFrames && left.lastVideo == right.lastVideo
                && left.completed == right.completed && left.error == right.error
                && left.notQueued == right.notQueued
        }

        /// Hashes some of what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(phase)
            hasher.combine(duration)
            hasher.combine(completed)
        }
    }

    /// How many pictures wait while one is being written: about a quarter of a second.
    public static let waitingFrames = 8
    /// How long the first picture may take.
    public static let patience: Duration = .seconds(5)

    /// What is being recorded, and every change of it.
    public nonisolated var status: Published<Status> { currentStatus.published }

    private let currentStatus = CurrentValue(Status())
    private let encoder: any FrameEncoder
    private let documents: FileFolder
    private let library: MediaLibrary
    private let thumbnails: Thumbnails
    private let frames: @Sendable (Int) async throws(CameraError) -> any FrameStream
    private let recorded: @Sendable (MediaItem, Bool) async -> DatabaseFailure?
    private let ended: @Sendable () async -> Void
    private var recording: Recording?
    /// The start that is under way.
    private var starting: SharedTask<Result<Void, CameraError>>?
    private var work: Task<MediaItem?, Never>?
    /// The wait for a picture.
    private var waiting: Task<VideoFrame?, Never>?
    private var isStopping = false
    private var decoder: JPEGDecoder?
    /// Writes a picture that is shown for long.
    private let ticking = OwnedTasks()

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - encoder: Makes the pictures' JPEG files.
    ///   - documents: Where the file goes; must exist.
    ///   - library: Where the item is noted.
    ///   - thumbnails: Makes the video's small picture.
    ///   - frames: The frames of the connected camera; throws where none is, or it may not be used.
    ///   - recorded: Called with each video that is in the library, and whether its upload is wanted, before its recording ends;
    ///     returns why it could not be queued.
    ///   - ended: Called after each recording has ended, with a video or without.
    public init(
        encoder: any FrameEncoder,
        documents: FileFolder,
        library: MediaLibrary,
        thumbnails: Thumbnails,
        frames: @escaping @Sendable (Int) async throws(CameraError) -> any FrameStream,
        recorded: @escaping @Sendable (MediaItem, Bool) async -> DatabaseFailure? = { _, _ in nil },
        ended: @escaping @Sendable () async -> Void = {}
    ) {
        self.encoder = encoder
        self.documents = documents
        self.library = library
        self.thumbnails = thumbnails
        self.frames = frames
        self.recorded = recorded
        self.ended = ended
    }

    // MARK: Start and stop

    /// Begins a recording, and returns when its file is there, with the first picture.
    ///
    /// - Parameter wantsUpload: Kept before the file and with the item, so that a crash does not lose the wish.
    /// - Throws: `sessionAlreadyRunning` while one is being made, `permissionDenied`, `deviceNotFound` where no camera is
    ///   connected, `sessionStartFailed` when no picture comes, `inputConfigurationFailed` for pictures that cannot be
    ///   recorded, `outputConfigurationFailed` when the file cannot be begun, `unknown` with ``CameraOvertaken`` when
    ///   ``stop()`` came between. There is no file then.
    public func start(wantsUpload: Bool) async throws(CameraError) {
        while true {
            guard status.value.phase == .idle else { throw .sessionAlreadyRunning }
            // One that has failed may still be ending.
            guard let starting else { break }
            await starting.end()
        }
        isStopping = false
        currentStatus.update {
            $0.phase = .starting
            $0.error = nil
            $0.droppedFrames = 0
            $0.duration = .zero
        }
        // Work of its own, for whose end a stop can wait.
        let attempt = SharedTask { _ in await self.attempt(wantsUpload: wantsUpload) }
        starting = attempt
        // A caller that is cancelled cancels the start, and waits for its end, too.
        _ = await attempt.value()
        await attempt.end()
        try (await attempt.value() ?? .failure(.overtaken)).get()
    }

    private func attempt(wantsUpload: Bool) async -> Result<Void, CameraError> {
        defer { starting = nil }
        do throws(CameraError) {
            let frames = try await frames(Self.waitingFrames)
            recording = try begin(await firstPicture(of: frames), frames, wantsUpload)
        } catch {
            currentStatus.update { $0.phase = .idle }
            await ended()
            return .failure(error)
        }
        record()
        return .success(())
    }

    private func record() {
        currentStatus.update { $0.phase = .recording }
        work = Task { await run() }
        ticking.replace(with: [
            Task { [weak self] in
                while (try? await Task.sleep(for: MovieWriter.fragmentDuration)) != nil {
                    await self?.writeLongPicture()
                }
            }
        ])
    }

    /// Ends the recording, and returns the video when its file is whole; `nil` where there is none.
    ///
    /// A recording that is only being started has ended, too, when this returns. Does nothing while nothing is
    /// recorded.
    @discardableResult
    public func stop() async -> MediaItem? {
        guard status.value.phase != .idle || starting != nil else { return nil }
        isStopping = true
        if status.value.phase == .recording { currentStatus.update { $0.phase = .finishing } }
        waiting?.cancel()
        if let starting {
            await starting.end()
            return nil
        }
        return await work?.value
    }

    private struct Picture {
        var frame: VideoFrame
        var jpeg: [UInt8]
        var size: PixelSize
    }

    private func firstPicture(of frames: any FrameStream) async throws(CameraError) -> Picture {
        let frame = await next(of: frames, within: Self.patience)
        guard !isStopping, !Task.isCancelled else { throw .overtaken }
        guard let frame else { throw .sessionStartFailed }
        let jpeg: [UInt8]
        do { jpeg = try await encoder.encode(frame) } catch { throw .unknown(error) }
        guard !isStopping else { throw .overtaken }
        guard let size = size(of: jpeg, frame), (1...65_535).contains(size.width),
            (1...65_535).contains(size.height)
        else { throw .inputConfigurationFailed }
        return Picture(frame: frame, jpeg: jpeg, size: size)
    }

    /// What the file says of itself: an encoder may have made the picture smaller.
    private func size(of jpeg: [UInt8], _ frame: VideoFrame) -> PixelSize? {
        if decoder == nil { decoder = try? JPEGDecoder() }
        return (try? decoder?.acceptableHeader(of: jpeg).size) ?? frame.size
    }

    /// - Parameter limit: How long the picture may take; `nil` for no limit.
    private func next(of frames: any FrameStream, within limit: Duration? = nil) async -> VideoFrame? {
        guard !isStopping else { return nil }
        let wait = Task { await frames.next() }
        waiting = wait
        // The timer ends this wait, and none of a later picture.
        let timer = limit.map { limit in
            Task { if (try? await Task.sleep(for: limit)) != nil { wait.cancel() } }
        }
        defer {
            waiting = nil
            timer?.cancel()
        }
        return await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            wait.cancel()
        }
    }

    private func begin(
        _ picture: Picture,
        _ frames: any FrameStream,
        _ wantsUpload: Bool
    ) throws(CameraError) -> Recording {
        let id = UUID()
        let name = MediaLibrary.fileName(of: id, kind: .video)
        // Without it the video is uploaded only when that is asked for, which is better than no video.
        if wantsUpload { try? library.noteWish(for: id) }
        do throws(FileFailure) {
            var recording = Recording(
                id: id,
                name: name,
                wantsUpload: wantsUpload,
                frames: frames,
                file: try documents.begin(name),
                size: picture.size,
                writer: MovieWriter(size: picture.size),
                firstPicture: picture.jpeg,
                lastTime: picture.frame.timestamp
            )
            do throws(FileFailure) {
                try recording.begin(with: picture.jpeg)
            } catch {
                recording.file.close()
                try? documents.remove(name)
                throw error
            }
            return recording
        } catch {
            throw .outputConfigurationFailed
        }
    }

    // MARK: Recording

    private func run() async -> MediaItem? {
        while let frames = recording?.frames, let frame = await next(of: frames) {
            // A picture that cannot be encoded is left out, as one that comes too early.
            let jpeg = try? await encoder.encode(frame)
            guard recording?.failure == nil else { break }
            if let jpeg, let size = size(of: jpeg, frame), size != recording?.size { break }
            recording?.add(jpeg, at: frame.timestamp)
            publishProgress()
        }
        return await finish()
    }

    private func publishProgress() {
        guard let recording else { return }
        let seconds = Duration.seconds(recording.duration.components.seconds)
        let dropped = recording.leftOut + recording.frames.dropped
        guard status.value.duration != seconds || status.value.droppedFrames != dropped else { return }
        currentStatus.update {
            $0.duration = seconds
            $0.droppedFrames = dropped
        }
    }

    private func writeLongPicture() {
        guard status.value.phase == .recording else { return }
        recording?.cutIfLate()
        if recording?.failure != nil { waiting?.cancel() }
        publishProgress()
    }

    // MARK: The end

    private func finish() async -> MediaItem? {
        currentStatus.update { $0.phase = .finishing }
        ticking.cancelAll()
        guard var recording else { return nil }
        recording.finish()
        self.recording = nil
        var error: CameraError? = recording.failure.map { .unknown($0) }
        var item: MediaItem?
        var notQueued: DatabaseFailure?
        if recording.isKept {
            do throws(DatabaseFailure) {
                let kept = try await keep(recording)
                item = kept
                notQueued = await recorded(kept, recording.wantsUpload)
            } catch let failure {
                // The next launch finds the file.
                error = .unknown(failure)
            }
        } else {
            try? documents.remove(recording.name)
        }
        work = nil
        let video = error == nil ? item : nil
        currentStatus.update {
            $0.phase = .idle
            $0.duration = recording.duration
            $0.droppedFrames = recording.leftOut + recording.frames.dropped
            $0.error = error
            guard let video else { return }
            $0.lastVideo = video
            $0.notQueued = notQueued
            $0.completed += 1
        }
        await ended()
        return video
    }

    private func keep(_ recording: Recording) async throws(DatabaseFailure) -> MediaItem {
        let item = try library.add(
            id: recording.id,
            kind: .video,
            createdAt: recording.began,
            wantsUpload: recording.wantsUpload
        )
        await thumbnails.make(of: recording.id, from: recording.firstPicture)
        return item
    }
}

/// A video that is being written.
private struct Recording {
    let id: UUID
    let name: String
    let wantsUpload: Bool
    let frames: any FrameStream
    let file: any WritableFile
    /// Of all its pictures.
    let size: PixelSize
    var writer: MovieWriter
    let firstPicture: [UInt8]
    let began = Date()
    /// The camera's time of the newest picture, and when it came.
    var lastTime: Duration
    var lastArrival = ContinuousClock.now
    /// Pictures that could not be encoded, or did not come later than the one before.
    var leftOut = 0
    /// Whether at least one fragment was written.
    var hasFragment = false
    /// Why it cannot go on.
    var failure: FileFailure?

    var duration: Duration { writer.duration }

    /// Whether it is of use: also when the disk was full, up to there.
    var isKept: Bool { failure == nil || failure?.code == .full && hasFragment }

    /// The present time of the camera's clock.
    private var cameraTime: Duration { lastTime + (ContinuousClock.now - lastArrival) }

    mutating func begin(with jpeg: [UInt8]) throws(FileFailure) {
        try file.write(writer.begin())
        try file.sync()
        _ = try? writer.add(jpeg, at: lastTime)
    }

    mutating func add(_ jpeg: [UInt8]?, at time: Duration) {
        guard let jpeg, let piece = try? writer.add(jpeg, at: time) else { return leftOut += 1 }
        (lastTime, lastArrival) = (time, ContinuousClock.now)
        write(piece)
    }

    mutating func cutIfLate() {
        guard ContinuousClock.now - lastArrival >= MovieWriter.fragmentDuration else { return }
        write(writer.cut(at: cameraTime))
    }

    mutating func finish() {
        write(writer.finish(at: cameraTime))
        file.close()
    }

    private mutating func write(_ piece: [UInt8]) {
        guard !piece.isEmpty, failure == nil else { return }
        do throws(FileFailure) {
            try file.write(piece)
            try file.sync()
            hasFragment = true
        } catch {
            failure = error
        }
    }
}
