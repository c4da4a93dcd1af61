public import Concurrency
public import Services

/// Streams the camera to a live model and tells listeners what the model says.
///
/// `start()` opens a session before the first picture goes out; afterwards three things run side by side until
/// `stop()`: pictures go out at the set rate, the model's events are read, and the model is asked to speak by
/// the commentary policy. A lost session is opened again by the policy's rules, with the newest resumption
/// handle: up to the set number of times with growing waits, at once after the service announced to close a session that
/// had lasted, and never when the service refuses key or configuration.
public actor StreamingSession {
    /// Phase and last error.
    public nonisolated var state: Published<StreamingState> { currentState.published }
    /// Counters since this object was made.
    public nonisolated var statistics: Published<StreamStatistics> { counters.published }
    /// Text of the current turn; after its end, of the last one.
    public nonisolated var latestResponse: Published<String> { currentResponse.published }

    private let currentState = CurrentValue(StreamingState())
    private let counters = CurrentValue(StreamStatistics(), backlog: 1)
    private let currentResponse = CurrentValue("")
    private let model: any LiveModel
    private let streamer: FrameStreamer
    private let policy: StreamingPolicy
    private let listeners: [any ReplyListener]
    private let frameSent: WakeSignal

    /// Whether the present session goes on from an earlier one.
    private var resumes = false
    private var plan: ReconnectPlan
    private var opening: SharedTask<Result<Void, LiveModelError>>?
    private var running: Task<Void, Never>?
    private var ending: Task<Void, Never>?
    /// Whether there is no stream whose end the listeners have not been called for.
    private var endIsKnown = true
    private var session: (any LiveSession)?
    /// What uses the session, while one is open.
    private var service: SessionService?

    /// Creates a stream that has not started.
    ///
    /// - Parameters:
    ///   - model: Opens sessions.
    ///   - encoder: Makes small JPEG files.
    ///   - policy: Model, commentary and reconnection.
    ///   - listeners: Told of replies, each event in this order.
    ///   - framesPerSecond: Asked before every tick; below 1 counts as 1.
    ///   - latestFrame: The newest picture, or `nil`; does not wait for one.
    public init(
        model: any LiveModel,
        encoder: any FrameEncoder,
        policy: StreamingPolicy,
        listeners: [any ReplyListener] = [],
        framesPerSecond: @escaping @Sendable () -> Int,
        latestFrame: @escaping @Sendable () async -> VideoFrame?
    ) {
        let frameSent = WakeSignal()
        self.model = model
        self.policy = policy
        self.listeners = listeners
        self.frameSent = frameSent
        plan = ReconnectPlan(policy: policy.reconnect)
        streamer = FrameStreamer(
            latestFrame: latestFrame,
            encoder: encoder,
            framesPerSecond: framesPerSecond,
            statistics: counters,
            frameSent: frameSent
        )
    }

    /// Opens a session, then starts to stream; returns when the first session is open.
    ///
    /// While a stream runs this does nothing; while one starts it waits for that one. A caller that is cancelled leaves
    /// alone; when the last one has left, the opening is cancelled, and nothing streams.
    ///
    /// - Throws: The error of opening, and `cancelled` when the caller was cancelled or `stop()` came between.
    public func start() async throws(LiveModelError) {
        while true {
            await ending?.value
            // Given up, but its listeners are still being called.
            if state.value.phase == .idle { await running?.value }
            if running != nil { return }
            if opening == nil { beginOpening() }
            guard let opening else { return }
            let result = await opening.value()
            // Left by others before this caller came: it wants one of its own.
            if opening.isAbandoned, !Task.isCancelled { continue }
            try result?.get()
            guard running != nil else {
                throw LiveModelError(.cancelled, operation: "start streaming", peer: "live session")
            }
            return
        }
    }

    /// Stops and waits until no picture can go out any more and the session is closed.
    ///
    /// Idempotent.
    public func stop() async {
        if ending == nil, opening != nil || running != nil { beginEnding() }
        await ending?.value
    }

    /// Puts the user's own words to the model, which interrupt a running reply.
    ///
    /// - Throws: `closed` while no session is open, and what sending throws; the model may have heard nothing then.
    public func say(_ text: String) async throws(LiveModelError) {
        guard let service else {
            throw LiveModelError(
                .closed,
                operation: "send text",
                peer: "live session",
                detail: "no session is open"
            )
        }
        try await service.say(text)
    }

    // MARK: Starting and ending

    private func beginOpening() {
        plan = ReconnectPlan(policy: policy.reconnect)
        currentState.update {
            $0.phase = .connecting
            $0.error = nil
        }
        opening = SharedTask { settle in
            let result = await self.openSession(handle: nil)
            await self.finishOpening(result, settle)
            return result.map { _ in }
        }
    }

    /// Starts the loop in the same step in which the opening ends, so that no caller of `start()` can do it twice.
    private func finishOpening(
        _ result: Result<any LiveSession, LiveModelError>,
        _ settle: @Sendable () -> Bool
    ) async {
        if case .success(let session) = result { self.session = session }
        // Stopped meanwhile: the ending closes the session.
        guard ending == nil else { return }
        switch result {
        case .success(let session) where settle():
            endIsKnown = false
            running = Task { await self.run(from: session) }
        case .success(let session):
            // Nobody waits for it any more.
            self.session = nil
            await session.close()
            guard ending == nil else { return }
            currentState.update { $0.phase = .idle }
        case .failure(let error):
            currentState.update {
                $0.phase = .idle
                // A start that was given up is no error of the stream.
                $0.error = error.code == .cancelled ? nil : error
            }
        }
        opening = nil
    }

    private func beginEnding() {
        currentState.update { $0.phase = .stopping }
        let (opening, running) = (opening, running)
        opening?.cancel()
        running?.cancel()
        // A task of its own: a cancelled caller must not make the closing handshake fail.
        ending = Task {
            await opening?.end()
            await running?.value
            await self.session?.close()
            self.session = nil
            self.opening = nil
            self.running = nil
            Self.note(nil, in: self.currentState)
            self.currentState.update { $0.phase = .idle }
            await self.noteEnd()
            self.ending = nil
        }
    }

    /// Calls the listeners for the end of a stream, once, whether it ended by itself, was stopped, or both at once.
    private func noteEnd() async {
        guard !endIsKnown else { return }
        endIsKnown = true
        for listener in listeners { await listener.streamEnded() }
    }

    private func openSession(handle: String?) async -> Result<any LiveSession, LiveModelError> {
        do throws(LiveModelError) {
            let configuration = LiveConfiguration(
                model: policy.model,
                instructions: policy.commentary.instructions,
                resumption: handle
            )
            let session = try await model.startSession(configuration)
            counters.update { $0.sessionsOpened += 1 }
            resumes = handle != nil
            return .success(session)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Running

    /// Serves one session after the other until cancelled or beyond help.
    private func run(from first: any LiveSession) async {
        let clock = ContinuousClock()
        var current = first
        while !Task.isCancelled {
            currentState.update {
                $0.phase = .streaming
                $0.error = nil
            }
            let opened = clock.now
            let outcome = await serve(current)
            guard !Task.isCancelled else { return }
            let isHealthy = clock.now - opened >= policy.healthyAfter
            if isHealthy { plan.noteHealthy() }

            // The old socket must be closed before a resumption, or the service refuses it.
            await current.close()
            session = nil
            guard let next = await reopen(after: assess(outcome, of: current, isHealthy: isHealthy)) else {
                break
            }
            guard !Task.isCancelled else {
                session = next
                return
            }
            session = next
            current = next
        }
        guard !Task.isCancelled, ending == nil else { return }
        await noteEnd()
        if ending == nil { running = nil }
    }

    /// Opens the next session by the plan; `nil` when none can be opened, with the error published.
    private func reopen(
        after judgement: (ReconnectPlan.Decision, LiveModelError?)
    ) async -> (any LiveSession)? {
        var (decision, error) = judgement
        while true {
            guard case .open(let attempt, let handle) = decision else {
                if ending == nil { settle(.idle, error) }
                return nil
            }
            settle(.reconnecting(attempt: attempt), error)
            let wait = policy.reconnect.jitteredWait(beforeRetry: attempt, retryAfter: error?.retryAfter)
            if let wait {
                guard (try? await Task.sleep(for: wait)) != nil else { return nil }
            }
            // Stopped in the moment in which the wait was over: nothing is opened any more.
            guard !Task.isCancelled else { return nil }
            switch await openSession(handle: handle) {
            case .success(let session): return session
            case .failure(let failure):
                guard !Task.isCancelled else { return nil }
                error = failure
                decision = plan.afterError(failure)
            }
        }
    }

    private func settle(_ phase: StreamingState.Phase, _ error: LiveModelError?) {
        guard !Task.isCancelled else { return }
        currentState.update {
            $0.phase = phase
            $0.error = error
            if phase == .idle { $0.refusal = nil }
        }
    }

    private func assess(
        _ outcome: SessionOutcome,
        of session: any LiveSession,
        isHealthy: Bool
    ) -> (ReconnectPlan.Decision, LiveModelError?) {
        func error(_ code: LiveModelError.Code, _ detail: String, _ close: UInt16? = nil) -> LiveModelError {
            LiveModelError(code, operation: "stream", peer: "live session", detail: detail, closeCode: close)
        }
        switch outcome {
        case .farewell:
            let decision = plan.afterFarewell(isHealthy: isHealthy)
            if isHealthy { return (decision, nil) }
            let life = "the service announced its end within \(policy.healthyAfter) of the start"
            return (decision, error(.unavailable, life))
        case .failed(let error): return (plan.afterError(error), error)
        case .closed(let code, let reason):
            let error = error(session.cause(ofClose: code, reason: reason), reason, code)
            return (plan.afterError(error), error)
        case .silent:
            let silence = "the model has not spoken since the session went on from an earlier one"
            return (plan.afterSilence(), error(.timedOut, silence))
        }
    }

    private func serve(_ session: any LiveSession) async -> SessionOutcome {
        let service = SessionService(
            session: session,
            streamer: streamer,
            policy: policy,
            isResumed: resumes,
            listeners: listeners,
            latestResponse: currentResponse,
            statistics: counters,
            noteHandle: { await self.note(handle: $0) },
            noteRefusal: { [currentState] in Self.note($0, in: currentState) }
        )
        self.service = service
        defer { self.service = nil }
        return await service.run()
    }

    private func note(handle: String) { plan.note(handle: handle) }

    private static func note(_ reason: LiveTurnReason?, in state: CurrentValue<StreamingState>) {
        let refusal = reason.map {
            LiveModelError(.rejected, operation: "answer", peer: "live session", detail: $0.rawValue)
        }
        if state.value.refusal != refusal { state.update { $0.refusal = refusal } }
    }
}
