import Concurrency
import Services

/// One conversation with a chat model.
actor WatchingSession: LiveSession {
    /// Turns that are sent with the next one; older ones are forgotten.
    private static let turnLimit = 20
    /// Bytes of an answer that nobody has read; a longer one is cut short.
    private static let unreadLimit = 1 << 20

    private let model: any ChatModel
    private let configuration: LiveConfiguration
    private let wake = WakeSignal()
    private var said: [ChatContent] = []
    private var picture: [UInt8]?
    private var events: [LiveEvent] = []
    private var unread = 0
    private var answering: Task<Void, Never>?
    private var end: LiveEvent?

    init(_ model: any ChatModel, _ configuration: LiveConfiguration) {
        (self.model, self.configuration) = (model, configuration)
        said = configuration.history.map(ChatContent.init)
    }

    deinit { answering?.cancel() }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        guard end == nil else { throw LiveModelError(.closed, operation: "send", peer: "session") }
        switch input {
        case .frame(let jpeg): picture = jpeg
        case .text(let text):
            var parts: [ChatPart] = [.text(text)]
            if let picture { parts.append(.inline(mediaType: "image/jpeg", picture)) }
            picture = nil
            try await interrupt()
            say(ChatContent(.user, parts))
            answer()
        case .turns(let turns, let isComplete):
            try await interrupt()
            for turn in turns { say(ChatContent(turn)) }
            if isComplete { answer() }
        case .audio, .audioStreamEnd, .activityStart, .activityEnd, .toolResponses, .contextUpdate:
            throw .refused("it takes words and pictures alone")
        }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        while true {
            if let event = events.first {
                events.removeFirst()
                if case .text(let text) = event { unread -= text.utf8.count }
                return event
            }
            if let end { return end }
            guard await wake.wait() == .raised else {
                throw LiveModelError(.cancelled, operation: "wait for an event", peer: "session")
            }
        }
    }

    func close() async {
        finish(.closed(code: 1000, reason: ""))
        answering?.cancel()
        await answering?.value
    }

    nonisolated func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        // The reason of a failure is its code's name.
        LiveModelError.Code(rawValue: reason) ?? .closed
    }

    // MARK: Turns

    private func say(_ content: ChatContent) {
        if said.last?.role == content.role, !said.isEmpty {
            said[said.count - 1].parts += content.parts
        } else {
            said.append(content)
        }
        // The first that is sent is the user's.
        while said.count > Self.turnLimit || said.first?.role == .model { said.removeFirst() }
    }

    /// Ends a running answer; what came of it was said.
    ///
    /// - Throws: `closed` when the session was closed meanwhile.
    private func interrupt() async throws(LiveModelError) {
        // Another input may have begun the next answer meanwhile.
        while let running = answering {
            running.cancel()
            await running.value
        }
        guard end == nil else { throw LiveModelError(.closed, operation: "send", peer: "session") }
    }

    private func answer() {
        var request = ChatRequest(
            model: configuration.model,
            contents: said,
            instructions: configuration.instructions
        )
        request.settings.temperature = configuration.temperature
        request.settings.longestAnswer = configuration.longestAnswer
        answering = Task { [weak self, model] in
            do throws(ChatModelError) {
                for try await event in try await model.stream(request) {
                    guard case .text(let text) = event else { continue }
                    guard await self?.take(text) == true else { break }
                }
                await self?.endTurn(cutShort: Task.isCancelled)
            } catch {
                await self?.endTurn(error)
            }
        }
    }

    /// Whether more is wanted.
    private func take(_ text: String) -> Bool {
        guard end == nil, !Task.isCancelled, unread + text.utf8.count <= Self.unreadLimit else {
            return false
        }
        say(ChatContent(.model, [.text(text)]))
        unread += text.utf8.count
        if case .text(let before)? = events.last {
            events[events.count - 1] = .text(before + text)
        } else {
            put(.text(text))
        }
        return true
    }

    private func endTurn(cutShort: Bool) {
        answering = nil
        if cutShort { put(.interrupted) }
        put(.turnComplete)
    }

    /// A turn that fails ends the session, since the next one would fail as well, or lack what this one has said.
    private func endTurn(_ error: ChatModelError) {
        guard error.code != .cancelled else { return endTurn(cutShort: true) }
        answering = nil
        finish(.closed(code: 1011, reason: LiveModelError(error, "answer").code.rawValue))
    }

    private func put(_ event: LiveEvent) {
        guard end == nil else { return }
        events.append(event)
        wake.raise()
    }

    private func finish(_ event: LiveEvent) {
        guard end == nil else { return }
        end = event
        wake.raise()
    }
}

extension ChatContent {
    /// A turn as a request has it.
    fileprivate init(_ turn: LiveTurn) {
        self.init(
            turn.role == .user ? .user : .model,
            turn.parts.map { part in
                switch part {
                case .text(let text): .text(text)
                case .jpeg(let jpeg): .inline(mediaType: "image/jpeg", jpeg)
                }
            }
        )
    }
}
