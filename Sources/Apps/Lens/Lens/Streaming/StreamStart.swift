internal import Concurrency
internal import Services

/// Starts the stream with the camera that it needs, and stops it.
///
/// A start is one request, from the connecting of the camera to the open session: whoever stops meanwhile ends it, wherever
/// it stands. Callers that start at once share one request; a start that comes during a stop waits for its end.
actor StreamStart {
    /// Whether a start is under way.
    nonisolated var isUnderWay: Published<Bool> { underWay.published }

    private let underWay = CurrentValue(false)
    private let camera: CameraRouter
    private let stream: StreamingSession
    private var starting: SharedTask<Result<Void, any Error>>?
    private var stopping: Task<Void, Never>?

    init(camera: CameraRouter, stream: StreamingSession) {
        self.camera = camera
        self.stream = stream
    }

    /// Connects the camera, opens a session and starts to stream; returns when the session is open.
    ///
    /// A caller that is cancelled leaves alone; when the last one has left, the start is cancelled.
    ///
    /// - Throws: `CameraError` or `LiveModelError`, which is `cancelled` when a stop came between.
    func start() async throws {
        while true {
            while let stopping { await stopping.value }
            let work = starting ?? begin()
            let result = await work.value()
            // Left by others before this caller came: it wants one of its own.
            if work.isAbandoned, !Task.isCancelled { continue }
            return try (result ?? .failure(Self.cancelled)).get()
        }
    }

    /// Ends a start that is under way, then the stream; no picture can go out after this returns.
    ///
    /// Idempotent.
    func stop() async {
        if stopping == nil {
            stopping = Task {
                starting?.cancel()
                await starting?.end()
                await stream.stop()
                await camera.noteStreamEnd()
                stopping = nil
            }
        }
        await stopping?.value
    }

    private func begin() -> SharedTask<Result<Void, any Error>> {
        underWay.set(true)
        let work = SharedTask { settle in await self.perform(settle) }
        starting = work
        return work
    }

    private func perform(_ settle: @Sendable () -> Bool) async -> Result<Void, any Error> {
        defer {
            starting = nil
            underWay.set(false)
        }
        var result: Result<Void, any Error> = .success(())
        do {
            try await camera.connectForStream()
            // Stopped while the camera was being connected: no session is opened any more.
            try Task.checkCancellation()
            let wasOn = stream.state.value.phase != .idle
            try await stream.start()
            if !settle(), !wasOn {
                // Nobody waits for it any more.
                await stream.stop()
                throw Self.cancelled
            }
        } catch {
            result = .failure(Task.isCancelled ? Self.cancelled : error)
        }
        await camera.endStarting()
        return result
    }

    private static var cancelled: LiveModelError {
        LiveModelError(.cancelled, operation: "start streaming", peer: "live session")
    }
}
