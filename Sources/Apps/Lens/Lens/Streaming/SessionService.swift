internal import Concurrency
internal import Services

/// Uses one open session: sends pictures, reads events and asks the model to speak, side by side.
actor SessionService {
    private let session: any LiveSession
    private let streamer: FrameStreamer
    private let policy: StreamingPolicy
    private let isResumed: Bool
    private let listeners: [any ReplyListener]
    private let latestResponse: CurrentValue<String>
    private let statistics: CurrentValue<StreamStatistics>
    private let noteHandle: @Sendable (String) async -> Void
    private let noteRefusal: @Sendable (LiveTurnReason?) -> Void

    /// Raised when events are being read: nothing goes out before that.
    private let isReading = WakeSignal()
    private let turnEnded = WakeSignal()
    private let goAwayHeard = WakeSignal()
    private let restReached = WakeSignal()
    private let handleArrived = WakeSignal()
    private var assembler = ReplyAssembler()
    private var lastSpoken = ContinuousClock.now
    private var timeLeft: Duration?
    private var hasFreshHandle = false
    /// Questions whose turns have not ended: a question that interrupts a turn waits for the end of that one first.
    private var turnsDue = 0
    private var hasHeard = false
    private let firstAsked = WakeSignal()
    private var isAwaitingClose = false

    /// How long a failed send waits for the event that tells why.
    private static let closeWait = Duration.seconds(1)

    init(
        session: any LiveSession,
        streamer: FrameStreamer,
        policy: StreamingPolicy,
        isResumed: Bool,
        listeners: [any ReplyListener],
        latestResponse: CurrentValue<String>,
        statistics: CurrentValue<StreamStatistics>,
        noteHandle: @escaping @Sendable (String) async -> Void,
        noteRefusal: @escaping @Sendable (LiveTurnReason?) -> Void
    ) {
        self.session = session
        self.streamer = streamer
        self.policy = policy
        self.isResumed = isResumed
        self.listeners = listeners
        self.latestResponse = latestResponse
        self.statistics = statistics
        self.noteHandle = noteHandle
        self.noteRefusal = noteRefusal
    }

    /// Uses the session until it ends, must be left, or the task is cancelled; ends an unfinished reply.
    func run() async -> SessionOutcome {
        // A first picture of an earlier session does not count for this one's opening question.
        _ = await streamer.frameSent.wait(atMost: .zero)
        let outcome = await withTaskGroup(of: SessionOutcome?.self) { group in
            group.addTask { await self.readEvents() }
            group.addTask { [streamer, session, isResumed, isReading] in
                // Whatever the model answers to the first picture has a reader.
                guard await isReading.wait() == .raised else { return nil }
                return await Self.outcome { () async throws(LiveModelError) in
                    try await streamer.run(session, isResumed: isResumed)
                }
            }
            group.addTask {
                await Self.outcome { () async throws(LiveModelError) in try await self.converse() }
            }
            group.addTask { await self.awaitFarewell() }
            if isResumed { group.addTask { await self.awaitWords() } }
            var outcome: SessionOutcome?
            for await result in group {
                guard outcome == nil, let result else { continue }
                if case .failed(let error) = result, error.code == .closed, error.closeCode == nil {
                    // The closing that made the send fail tells more: let the reader come to it.
                    guard !isAwaitingClose else { continue }
                    isAwaitingClose = true
                    group.addTask {
                        try? await Task.sleep(for: Self.closeWait)
                        return .failed(Self.lost(error))
                    }
                    continue
                }
                outcome = result
                group.cancelAll()
            }
            return outcome
        }
        await perform(assembler.cutOff())
        return outcome ?? .failed(LiveModelError(.cancelled, operation: "stream", peer: "live session"))
    }

    /// The same error with the close code of a lost connection: RFC 6455 section 7.4.1.
    private static func lost(_ error: LiveModelError) -> LiveModelError {
        var error = error
        error.closeCode = 1006
        return error
    }

    private static func outcome(
        of work: () async throws(LiveModelError) -> Void
    ) async -> SessionOutcome? {
        do throws(LiveModelError) {
            try await work()
            return nil
        } catch {
            return .failed(error)
        }
    }

    // MARK: Events

    private func readEvents() async -> SessionOutcome? {
        isReading.raise()
        while !Task.isCancelled {
            do throws(LiveModelError) {
                let event = try await session.nextEvent()
                await perform(assembler.apply(event))
                await note(event)
                if case .closed(let code, let reason) = event { return .closed(code: code, reason: reason) }
            } catch {
                return .failed(error)
            }
        }
        return nil
    }

    private func note(_ event: LiveEvent) async {
        switch event {
        case .text:
            lastSpoken = .now
            hasHeard = true
            hasFreshHandle = false
        case .turnComplete:
            lastSpoken = .now
            hasHeard = true
            turnsDue = max(0, turnsDue - 1)
            guard turnsDue == 0 else { return }
            turnEnded.raise()
            restReached.raise()
        case .resumable(let handle):
            await noteHandle(handle)
            hasFreshHandle = true
            handleArrived.raise()
        case .goingAway(let timeLeft):
            self.timeLeft = timeLeft
            if isAtRest { restReached.raise() }
            goAwayHeard.raise()
        case .unreadable: statistics.update { $0.unreadableMessages += 1 }
        case .thought, .audio, .heard, .spoken, .generationComplete, .interrupted, .toolCall,
            .toolCallCancelled, .turnReason, .waitingForInput, .interaction, .voiceActivity, .hearing, .code,
            .codeResult, .grounding, .addressesRead,
            .notResumable, .usage, .other, .closed:
            break
        }
    }

    private func perform(_ steps: [ReplyAssembler.Step]) async {
        for step in steps {
            switch step {
            case .refused(let reason): noteRefusal(reason)
            case .began:
                noteRefusal(nil)
                latestResponse.set("")
                for listener in listeners { await listener.replyBegan() }
            case .grew(let chunk, let text):
                latestResponse.set(text)
                for listener in listeners { await listener.replyGrew(by: chunk) }
            case .interrupted:
                for listener in listeners { await listener.replyInterrupted() }
            case .ended(let reply):
                for listener in listeners { await listener.replyEnded(reply) }
            }
        }
    }

    // MARK: Questions

    /// Asks at the start and again after every reply, as the policy says.
    private func converse() async throws(LiveModelError) {
        let commentary = policy.commentary
        _ = await streamer.frameSent.wait(atMost: commentary.openingWait)
        try await ask(isResumed ? commentary.followUp ?? commentary.opening : commentary.opening)
        guard let followUp = commentary.followUp else { return }
        while !Task.isCancelled {
            switch await turnEnded.wait(atMost: commentary.patience) {
            case .raised: await pause(for: commentary.pause)
            // A session that is about to end is asked nothing more: its reply ends with it.
            case .elapsed where timeLeft != nil || ContinuousClock.now - lastSpoken < commentary.patience:
                continue
            case .elapsed:
                // Its end may have been lost in a message that could not be read; without one, nothing would be asked again.
                turnsDue = 0
                await perform(assembler.cutOff())
            case .cancelled: return
            }
            try await ask(followUp)
        }
    }

    /// Waits until nothing was asked or answered for so long.
    private func pause(for pause: Duration) async {
        while !Task.isCancelled {
            let left = pause.sleepable - (ContinuousClock.now - lastSpoken)
            guard left > .zero, (try? await Task.sleep(for: left)) != nil else { return }
        }
    }

    /// A question interrupts a turn that has not ended, and is lost on a session that is about to end.
    private func ask(_ text: String) async throws(LiveModelError) {
        guard !Task.isCancelled, timeLeft == nil, isAtRest else { return }
        try await put(text)
        statistics.update { $0.promptsSent += 1 }
    }

    /// Puts the user's own words to the model; they interrupt a running reply.
    func say(_ text: String) async throws(LiveModelError) {
        noteRefusal(nil)
        try await put(text)
    }

    private func put(_ text: String) async throws(LiveModelError) {
        lastSpoken = .now
        turnsDue += 1
        firstAsked.raise()
        do throws(LiveModelError) { try await session.send(text: text) } catch {
            turnsDue = max(0, turnsDue - 1)
            throw error
        }
    }

    // MARK: Leaving

    /// Leaves a session that went on from an earlier one, and in which a question has had no answer for too long.
    private func awaitWords() async -> SessionOutcome? {
        guard await firstAsked.wait() == .raised else { return nil }
        guard (try? await Task.sleep(for: policy.resumedSilence.sleepable)) != nil else { return nil }
        return hasHeard ? nil : .silent
    }

    /// Whether no reply is running, and none is due to a question that is on its way.
    private var isAtRest: Bool { !assembler.isReplying && turnsDue == 0 }

    /// Waits for the announced end; then leaves between two replies if one ends in time.
    private func awaitFarewell() async -> SessionOutcome? {
        guard await goAwayHeard.wait() == .raised, let timeLeft else { return nil }
        let clock = ContinuousClock()
        let deadline = clock.now + max(.zero, timeLeft - policy.farewellMargin)
        while !isAtRest, clock.now < deadline {
            guard await restReached.wait(atMost: deadline - clock.now) != .cancelled else { return nil }
        }
        if !hasFreshHandle {
            _ = await handleArrived.wait(atMost: .zero)
            _ = await handleArrived.wait(atMost: min(policy.handleWait, max(.zero, deadline - clock.now)))
        }
        return Task.isCancelled ? nil : .farewell
    }
}
