internal import HTTPTypes
internal import Transport

/// The server-sent events of an answer, in order; for one reader, which is called again after each event.
///
/// Nothing is read that nobody asks for, so that a slow reader holds back the service. Cancelling the reader's task ends the request, and so does
/// releasing the events.
public final class ServiceEvents {
    private let answer: StreamedAnswer
    private let end: ContinuousClock.Instant?
    private let policy: CallPolicy
    private var parser: ServerSentEvents
    private var chunks: ByteStream.Iterator?
    private var received = 0
    private var pending: ArraySlice<ServerSentEvent> = []
    /// Thrown once what came before it was given.
    private var failure: ServiceFailure?
    private var isOver = false

    init(_ answer: StreamedAnswer, until end: ContinuousClock.Instant?, _ policy: CallPolicy) {
        self.answer = answer
        self.end = end
        self.policy = policy
        parser = ServerSentEvents(limit: policy.eventBytes)
    }

    /// Waits for the next event; `nil` after the last one.
    ///
    /// A call that is over its deadline is given up with the first bytes that arrive after it, and after the silence that ``CallPolicy/limits``
    /// allow at the latest.
    ///
    /// - Throws: After the events that came before: `tooLarge` for an event or an answer that is longer than the policy allows, `timedOut`,
    ///   `interrupted`, `untrusted`, `cancelled`. An answer that ends early without breaking its connection is no failure.
    public func next() async throws(ServiceFailure) -> ServerSentEvent? {
        while true {
            if let event = pending.popFirst() { return event }
            if let failure { throw failure }
            if isOver { return nil }
            do throws(TransportError) {
                // A copy, so that the iterator is not held while a chunk is awaited.
                var reader =
                    if let chunks { chunks } else { try await answer.body.chunks().makeAsyncIterator() }
                let chunk = try await reader.next()
                chunks = reader
                take(chunk)
            } catch { failure = answer.failure(error) }
        }
    }

    /// Reads what follows the event that ends an answer, if it is short: with the end of its body read, a connection can be used again.
    public func finish() async { _ = await answer.body.beginning(upTo: 4_096, within: .milliseconds(500)) }

    private func take(_ chunk: [UInt8]?) {
        received += chunk?.count ?? 0
        guard received <= policy.answerBytes else {
            return fail(.tooLarge, "an answer of more than \(policy.answerBytes) bytes")
        }
        if chunk != nil, let end, .now >= end {
            return fail(.timedOut, "the answer was still going on after the longest time of a call")
        }
        var events: [ServerSentEvent] = []
        do throws(ServerSentEvents.Oversized) {
            if let chunk {
                try parser.append(chunk, to: &events)
            } else {
                events = [try parser.finish()].compactMap(\.self)
            }
        } catch { fail(.tooLarge, "an event of more than \(error.limit) bytes") }
        (pending, isOver) = (events[...], chunk == nil)
    }

    private func fail(_ code: ServiceFailure.Code, _ detail: String) {
        failure = answer.evidence.failure(code, detail, status: answer.head.status.code)
    }
}
