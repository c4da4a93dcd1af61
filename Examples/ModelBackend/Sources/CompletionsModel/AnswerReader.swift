import Services
import Transport

/// Reads an answer while it comes; nothing is read that nobody asks for, so that a slow reader holds back the service.
actor AnswerReader {
    private let body: HTTPBody
    private let call: CompletionsCall
    private let options: CompletionsOptions
    private var lines: EventLines
    private var chunks: ByteStream.Iterator?
    private var received = 0
    private var pending: [ChatEvent] = []
    /// Known once the model has stopped; told when nothing can follow.
    private var ending: ChatEnding?
    private var isOver = false
    /// Thrown once what came before it was given.
    private var failure: ChatModelError?

    init(_ body: HTTPBody, _ call: CompletionsCall, _ options: CompletionsOptions) {
        self.body = body
        self.call = call
        self.options = options
        lines = EventLines(limit: options.lineBytes)
    }

    /// Waits for the next event; `nil` after the end.
    func next() async throws(ChatModelError) -> ChatEvent? {
        while pending.isEmpty, !isOver { await readMore() }
        if !pending.isEmpty { return pending.removeFirst() }
        if let failure { throw failure }
        // The end of the body is mostly there already; with it read, the connection can be used again.
        _ = await body.beginning(upTo: 4_096, within: .milliseconds(500))
        return nil
    }

    private func readMore() async {
        do throws(TransportError) {
            // A copy, since an actor's own cannot be changed across a suspension; one reader at a time uses it.
            var reader = if let chunks { chunks } else { try await body.chunks().makeAsyncIterator() }
            let chunk = try await reader.next()
            chunks = reader
            if let chunk { take(chunk) } else { takeEnd() }
        } catch {
            // A connection that breaks after the model has stopped took nothing away.
            end(error.code == .cancelled || ending == nil ? call.error(error) : nil)
        }
    }

    private func take(_ chunk: [UInt8]) {
        received += chunk.count
        guard received <= options.answerBytes else {
            return end(call.error(.tooLarge, "an answer of more than \(options.answerBytes) bytes"))
        }
        guard call.timeLeft > .zero else {
            return end(call.error(.timedOut, "the answer was going on after the longest time of a call"))
        }
        do {
            for data in try lines.append(chunk) { take(data: data) }
        } catch {
            end(call.error(.tooLarge, "a line of more than \(error.limit) bytes"))
        }
    }

    private func takeEnd() {
        if let data = lines.finish() { take(data: data) }
        end(nil)
    }

    private func take(data: [UInt8]) {
        if isOver { return }
        if data.elementsEqual("[DONE]".utf8) { return end(nil) }
        guard let document = try? AnswerDocument(json: data) else {
            return end(call.error(.malformed, "an event of \(data.count) bytes is no answer of the service"))
        }
        if document.error != nil { return end(call.refusal(status: 200, data)) }
        let choice = document.choices?.first
        if let text = choice?.delta?.content, !text.isEmpty { pending.append(.text(text)) }
        if let usage = document.usage { pending.append(.usage(TokenUsage(usage))) }
        if let reason = choice?.finish_reason { ending = .finished(FinishReason(wire: reason), []) }
    }

    /// Ends the stream: with an error, or with the ending if the model has given one.
    private func end(_ error: ChatModelError?) {
        if isOver { return }
        isOver = true
        failure = error
        if error == nil, let ending { return pending.append(.ended(ending)) }
        failure = error ?? call.error(.interrupted, "the answer stops without an end")
    }
}
