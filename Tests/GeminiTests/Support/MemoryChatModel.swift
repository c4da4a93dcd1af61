import ChatModelConformance
import Services
import TestSupport

/// A chat model without a service behind it, which can be made wrong in one point.
struct MemoryChatModel: ChatModel {
    /// A deliberate mistake.
    enum Flaw: String, CaseIterable {
        case losesLastPiece, givesEmptyPieces, endsTwice, hidesBreaks, hidesFailures, takesAStopForAnEnd
        case blockingIsAnError, forgetsTheCost, tellsTheKey, mistakesQuota, asksTwice,
            miscounts
        case splitsTheText, forgetsTheReason, forgetsTheStreamsCost, dropsWordsAtBreaks
        case keepsCancelledRequests, keepsLateRequests, keepsReleasedRequests

        /// The case that has to notice it.
        var noticedBy: String {
            switch self {
            case .losesLastPiece, .givesEmptyPieces, .endsTwice: "stream.order"
            case .hidesBreaks: "stream.break"
            case .dropsWordsAtBreaks: "stream.beforeBreak"
            case .hidesFailures: "stream.failure"
            case .takesAStopForAnEnd: "stream.stop"
            case .blockingIsAnError: "answer.blocked"
            case .splitsTheText: "answer.whole"
            case .forgetsTheCost: "answer.cost"
            case .forgetsTheStreamsCost: "stream.cost"
            case .forgetsTheReason: "answer.tokenLimit"
            case .keepsCancelledRequests: "stream.cancel"
            case .keepsLateRequests: "stream.cancelLate"
            case .keepsReleasedRequests: "stream.released"
            case .tellsTheKey: "failure.rejected"
            case .mistakesQuota: "failure.quotaExceeded"
            case .asksTwice: "failure.lost"
            case .miscounts: "count.tokens"
            }
        }
    }

    private let answers: [ServiceAnswer]
    private let watch: ServiceWatch
    private let flaw: Flaw?

    init(_ answers: [ServiceAnswer], _ watch: ServiceWatch, _ flaw: Flaw?) {
        (self.answers, self.watch, self.flaw) = (answers, watch, flaw)
    }

    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        var answer = ChatAnswer(parts: [], ending: .finished(.unknown, []))
        for try await event in try await stream(request) {
            switch event {
            case .text(let text):
                if flaw != .splitsTheText, case .text(let before)? = answer.parts.last {
                    answer.parts = [.text(before + text)]
                } else {
                    answer.parts.append(.text(text))
                }
            case .usage(let usage): if flaw != .forgetsTheCost { answer.usage = usage }
            case .ended(.finished) where flaw == .forgetsTheReason: answer.ending = .finished(.stop, [])
            case .ended(.blocked(let reason, _)) where flaw == .blockingIsAnError:
                throw error(.rejected, reason.rawValue)
            case .ended(let ending): answer.ending = ending
            case .thought(let more): answer.thoughts += more
            case .part(let part): answer.parts.append(part)
            case .citation(let source): answer.citations.append(source)
            case .alternative: break
            }
        }
        return answer
    }

    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        guard case .counts(let number) = try take() else { return 0 }
        watch.end()
        return flaw == .miscounts ? number + 1 : number
    }

    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        var events: [ChatEvent] = []
        var failure: ChatModelError?
        var isSilent = false
        switch try take() {
        case .says(let pieces, let ending, let usage):
            events = pieces.map { .text($0) } + [.usage(usage), .ended(ending)]
            if flaw == .losesLastPiece, !pieces.isEmpty { events.remove(at: pieces.count - 1) }
            if flaw == .givesEmptyPieces { events.insert(.text(""), at: 0) }
            if flaw == .endsTwice { events.append(.ended(ending)) }
            if flaw == .forgetsTheStreamsCost { events.removeAll { $0 == .usage(usage) } }
        case .breaks(let pieces):
            (events, failure) = (pieces.map { .text($0) }, error(.interrupted, "the connection broke"))
            if flaw == .hidesBreaks { failure = nil }
            if flaw == .dropsWordsAtBreaks { events.removeLast() }
        case .fails(let pieces):
            (events, failure) = (pieces.map { .text($0) }, error(.unavailable, "the service failed"))
            if flaw == .hidesFailures { (events, failure) = (events + [.ended(.finished(.other, []))], nil) }
        case .stops(let pieces):
            (events, failure) = (pieces.map { .text($0) }, error(.interrupted, "no ending"))
            if flaw == .takesAStopForAnEnd {
                (events, failure) = (events + [.ended(.finished(.stop, []))], nil)
            }
        case .fallsSilent(let pieces): (events, isSilent) = (pieces.map { .text($0) }, true)
        case .isLost:
            watch.end()
            if flaw == .asksTwice, watch.requests == 1 { return try await stream(request) }
            throw error(.interrupted, "the connection broke")
        case .counts, .refuses: break
        }
        return Self.stream(
            events,
            failure,
            isSilent ? Release(watch, flaw) : nil,
            watch
        )
    }

    private static func stream(
        _ events: [ChatEvent],
        _ failure: ChatModelError?,
        _ release: Release?,
        _ watch: ServiceWatch
    ) -> ChatStream {
        let left = Box(events)
        if release == nil { watch.end() }
        return ChatStream { () async throws(ChatModelError) in
            await Task.yield()
            if let next = left.value.first {
                left.set(Array(left.value.dropFirst()))
                release?.hasBegun.set(true)
                return next
            }
            if let release {
                await Signal.waitForCancellation()
                release.cancel()
                throw ChatModelError(.cancelled, operation: "stream", peer: "memory")
            }
            if let failure { throw failure }
            return nil
        }
    }

    /// Ends a request when its stream is released, or earlier; once.
    private final class Release: Sendable {
        /// Whether a piece was read.
        let hasBegun = Box(false)
        private let watch: ServiceWatch
        private let flaw: Flaw?
        private let isOver = Box(false)

        init(_ watch: ServiceWatch, _ flaw: Flaw?) { (self.watch, self.flaw) = (watch, flaw) }

        func cancel() {
            let isKept =
                flaw == .keepsCancelledRequests || flaw == .keepsLateRequests && hasBegun.value
            isKept ? isOver.set(true) : end()
        }

        private func end() {
            guard !isOver.value else { return }
            isOver.set(true)
            watch.end()
        }

        deinit { if flaw != .keepsReleasedRequests { end() } }
    }

    private func take() throws(ChatModelError) -> ServiceAnswer {
        let number = watch.begin()
        let answer = answers[min(number, answers.count - 1)]
        guard case .refuses(let refusal) = answer else { return answer }
        watch.end()
        let code = ChatModelError.Code(rawValue: refusal.rawValue) ?? .rejected
        throw error(flaw == .mistakesQuota && code == .quotaExceeded ? .unavailable : code, "no")
    }

    private func error(_ code: ChatModelError.Code, _ detail: String) -> ChatModelError {
        ChatModelError(
            code,
            operation: "stream",
            peer: "memory",
            detail: flaw == .tellsTheKey ? "\(detail) hush" : detail
        )
    }
}
