import ServiceClient
import Services

/// Reads an answer while it comes.
actor AnswerEvents {
    private let events: ServiceEvents
    private let call: GeminiCall
    private var pending: ArraySlice<ChatEvent> = []
    private var hasEnded = false
    /// How many answers were asked for, and the numbers of those that have begun and that have ended.
    private let candidates: Int
    private var begun: Set<Int> = []
    private var ended: Set<Int> = []

    init(_ events: sending ServiceEvents, _ call: GeminiCall, candidates: Int) {
        self.candidates = candidates
        self.events = events
        self.call = call
    }

    /// Waits for the next event; `nil` after the end.
    ///
    /// Not to be called again after an error.
    func next() async throws(ChatModelError) -> ChatEvent? {
        while pending.isEmpty, !hasEnded {
            let event: ServerSentEvent?
            do throws(ServiceFailure) { event = try await events.next() } catch { throw call.error(error) }
            if let event { try take(event) } else { try takeEnd() }
        }
        if let event = pending.popFirst() { return event }
        await events.finish()
        return nil
    }

    private func takeEnd() throws(ChatModelError) {
        // The service may give fewer answers than were asked for.
        hasEnded = ended.contains(0) && begun.isSubset(of: ended)
        if !hasEnded { throw call.error(.interrupted, "the answer stops without an end") }
    }

    private func take(_ event: ServerSentEvent) throws(ChatModelError) {
        guard let document = try? JSONDocument.read(event.data, as: AnswerDocument.self), !document.isError
        else {
            let refusal = ServiceRefusal(status: 200, body: event.data, key: call.key)
            if refusal.isOfService { throw call.error(refusal) }
            throw event.isWhole
                ? call.error(
                    .malformed,
                    "an event of \(event.data.count) bytes is no answer of the service"
                )
                : call.error(.interrupted, "the answer stops inside an event")
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
}
