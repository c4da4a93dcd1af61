import Services
import Transport

/// Reads an answer while it comes.
actor AnswerEvents {
    private let body: HTTPBody
    private let call: GeminiCall
    private let answerBytes: Int
    private var parser: ServerSentEvents
    private var chunks: ByteStream.Iterator?
    private var pending: ArraySlice<ChatEvent> = []
    /// Thrown once what came before it was given.
    private var failure: ChatModelError?
    private var received = 0
    private var hasEnded = false
    /// How many answers were asked for, and the numbers of those that have begun and that have ended.
    private let candidates: Int
    private var begun: Set<Int> = []
    private var ended: Set<Int> = []

    init(_ body: HTTPBody, _ call: GeminiCall, options: GeminiRESTOptions, candidates: Int) {
        self.candidates = candidates
        self.body = body
        self.call = call
        answerBytes = options.answerBytes
        parser = ServerSentEvents(limit: options.eventBytes)
    }

    /// Waits for the next event; `nil` after the end.
    func next() async throws(ChatModelError) -> ChatEvent? {
        while true {
            if let event = pending.popFirst() { return event }
            if let failure { throw failure }
            if hasEnded {
                // The end of the body is mostly there already; with it read, the connection can be used again.
                _ = await body.beginning(upTo: 4_096, within: .milliseconds(500))
                return nil
            }
            await readMore()
        }
    }

    private func readMore() async {
        do throws(TransportError) {
            // A copy, since an actor's own cannot be changed across a suspension; one reader at a time uses it.
            var reader =
                if let chunks { chunks } else { try await body.chunks().makeAsyncIterator() }
            let chunk = try await reader.next()
            chunks = reader
            if let chunk { take(chunk) } else { takeEnd() }
        } catch {
            failure = call.error(error)
        }
    }

    private func take(_ chunk: [UInt8]) {
        received += chunk.count
        guard received <= answerBytes else {
            failure = call.error(.tooLarge, "an answer of more than \(answerBytes) bytes")
            return
        }
        guard call.timeLeft > .zero else {
            failure = call.error(.timedOut, "the answer was still going on after the longest time of a call")
            return
        }
        do {
            for document in try parser.append(chunk) { take(document: document, isLast: false) }
        } catch {
            failure = failure ?? call.error(.tooLarge, "an event of more than \(error.limit) bytes")
        }
        // An error that is alone on its lines: it may be whole though the stream stays open.
        if let bare = parser.takeBareDocument(), bare.count <= ServiceRefusal.pageBytes { takeRefusal(bare) }
    }

    private func takeEnd() {
        do {
            for document in try parser.finish() { take(document: document, isLast: true) }
        } catch {
            failure = failure ?? call.error(.tooLarge, "an event of more than \(error.limit) bytes")
        }
        guard failure == nil, !hasEnded else { return }
        // The service may give fewer answers than were asked for.
        if ended.contains(0), begun.isSubset(of: ended) { return hasEnded = true }
        failure = call.error(.interrupted, "the answer stops without an end")
    }

    private func take(document bytes: [UInt8], isLast: Bool) {
        guard failure == nil, !hasEnded else { return }
        guard let document = try? JSONDocument.read(bytes, as: AnswerDocument.self), !document.isError else {
            if takeRefusal(bytes) { return }
            failure =
                isLast
                ? call.error(.interrupted, "the answer stops inside an event")
                : call.error(.malformed, "an event of \(bytes.count) bytes is no answer of the service")
            return
        }
        for event in document.events {
            note(event)
            pending.append(event)
        }
    }

    /// Finds the end: that of the last of the answers.
    private func note(_ event: ChatEvent) {
        switch event {
        case .ended(.blocked): hasEnded = true
        case .ended: ended.insert(0)
        case .alternative(let number, .ended): ended.insert(number)
        case .alternative(let number, _): begun.insert(number)
        case .text, .thought, .part, .citation, .usage: break
        }
        if ended.contains(0), ended.count >= candidates, begun.isSubset(of: ended) { hasEnded = true }
    }

    /// Whether the bytes tell of a failure; it is then what the stream breaks with.
    @discardableResult
    private func takeRefusal(_ bytes: [UInt8]) -> Bool {
        let refusal = ServiceRefusal(status: 200, body: bytes, key: call.key)
        guard failure == nil, !hasEnded, refusal.isOfService else { return false }
        var error = call.error(refusal.code, refusal.detail, status: refusal.status)
        error.retryAfter = refusal.retryAfter
        failure = error
        return true
    }
}
