import ServiceClient
import Services

/// Reads an answer while it comes; nothing is read that nobody asks for, so that a slow reader holds back the service.
actor AnswerReader {
    private let events: ServiceEvents
    private let call: CompletionsCall
    private var pending: [ChatEvent] = []
    /// Known once the model has stopped; told when nothing can follow.
    private var ending: ChatEnding?
    private var isOver = false

    init(_ events: sending ServiceEvents, _ call: CompletionsCall) {
        self.events = events
        self.call = call
    }

    /// Waits for the next event; `nil` after the end.
    func next() async throws(ChatModelError) -> ChatEvent? {
        while pending.isEmpty, !isOver { try await readMore() }
        if !pending.isEmpty { return pending.removeFirst() }
        await events.finish()
        return nil
    }

    private func readMore() async throws(ChatModelError) {
        var event: ServerSentEvent?
        do throws(ServiceFailure) { event = try await events.next() } catch {
            // A connection that breaks after the model has stopped took nothing away.
            guard error.code != .cancelled, ending != nil else { throw call.error(error) }
        }
        if let event { try take(event) } else { try end() }
    }

    private func take(_ event: ServerSentEvent) throws(ChatModelError) {
        if event.data.elementsEqual("[DONE]".utf8) { return try end() }
        guard let document = try? AnswerDocument(json: event.data) else {
            let detail = "an event of \(event.data.count) bytes is no answer of the service"
            throw call.error(event.isWhole ? .malformed : .interrupted, detail)
        }
        if document.error != nil { throw call.refusal(status: 200, event.data) }
        let choice = document.choices?.first
        if let text = choice?.delta?.content, !text.isEmpty { pending.append(.text(text)) }
        if let usage = document.usage { pending.append(.usage(TokenUsage(usage))) }
        if let reason = choice?.finish_reason { ending = .finished(FinishReason(wire: reason), []) }
    }

    /// Ends the stream, if the model has given an ending.
    private func end() throws(ChatModelError) {
        guard let ending else { throw call.error(.interrupted, "the answer stops without an end") }
        isOver = true
        pending.append(.ended(ending))
    }
}
