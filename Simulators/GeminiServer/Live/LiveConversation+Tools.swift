import PeerKit

/// A call of a function that waits for its answer.
struct PendingCall: Sendable {
    let name: String
    let isBlocking: Bool
}

extension LiveConversation {
    /// Calls of one conversation whose cancellation is remembered, for answers that cross it.
    private static let mostCancelled = 1_000

    /// Calls functions of the client; those that the session has not declared are left out.
    func call(_ calls: [GeminiCall]) async {
        guard let tools = setup?.tools else { return }
        var messages: [JSONValue] = []
        for call in calls where tools.declares(call.name) {
            let id = call.id ?? "function-call-\(memory.nextCall())"
            pending[id] = PendingCall(name: call.name, isBlocking: tools.isBlocking(call.name))
            messages.append(["id": .string(id), "name": .string(call.name), "args": call.arguments])
            book.keep(index) { $0.keep(call.name, in: \.calls, &$1) }
        }
        if !messages.isEmpty { await send(["toolCall": ["functionCalls": .array(messages)]]) }
    }

    /// Whether the turn waits for a function.
    var waitsForTools: Bool { pending.values.contains { $0.isBlocking } }

    /// Takes back what is called, because its turn is cut short.
    func cancelCalls() async {
        guard !pending.isEmpty else { return }
        let ids = pending.keys.sorted()
        pending = [:]
        cancelled = Array((cancelled + ids).suffix(Self.mostCancelled))
        await send(["toolCallCancellation": ["ids": .array(ids.map { .string($0) })]])
    }

    /// Takes answers of functions.
    ///
    /// - Throws: 1008 for a call that was never made, 1007 for an answer that does not fit its call. An answer to a call that
    ///   was cancelled crosses the cancellation on its way, and is passed over.
    func take(_ answers: [ToolAnswer]) async throws(LiveRefusal) {
        var scheduling: ToolAnswer.Scheduling?
        var completesTurn = false
        for answer in answers where !cancelled.contains(answer.id) {
            guard let call = pending[answer.id] else { throw .noEntity }
            guard answer.name == call.name || answer.name.isEmpty else { throw .invalidArgument }
            if call.isBlocking, answer.continues || answer.scheduling != nil { throw .invalidArgument }
            if !answer.continues { pending[answer.id] = nil }
            try take(answer, of: call)
            if call.isBlocking { completesTurn = true } else { scheduling = answer.scheduling ?? .whenIdle }
        }
        if completesTurn, !waitsForTools, isTurnOpen {
            if !isSpeaking { return self.answer() }
            // What is still being said goes out first.
            isQueued = true
        }
        switch scheduling {
        case .interrupt:
            await interrupt()
            self.answer()
        case .whenIdle where isTurnOpen: isQueued = true
        case .whenIdle: self.answer()
        case .silent, nil: break
        }
    }

    private func take(_ answer: ToolAnswer, of call: PendingCall) throws(LiveRefusal) {
        // A call that goes on may be answered again and again before the model speaks.
        resultBytes += answer.response.json.count
        guard resultBytes <= settings.largestMessage, results.count < Self.mostResults else {
            throw .invalidArgument
        }
        memory.take(json: answer.response)
        results.append(GeminiCallResult(id: answer.id, name: call.name, response: answer.response))
        book.keep(index) { $0.keep(call.name, in: \.toolResponses, &$1) }
    }
}
