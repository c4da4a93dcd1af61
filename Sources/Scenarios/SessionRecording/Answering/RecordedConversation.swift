package import HTTPTypes
package import Transport

/// What a peer said on one recorded connection, and when, seen from what was said before.
///
/// A peer that says it again needs no times of the recording's clock: what is asked at another time is answered at another time.
package struct RecordedConversation: AskedConnection {
    /// One thing that came in.
    package struct Step: Sendable {
        /// What it was.
        package let message: RecordedMessage
        /// Time between it and what crossed the connection before it, in either direction.
        package let gap: Duration
        /// How many messages of a WebSocket the program had sent before.
        package let sentBefore: Int
    }

    /// The number of the connection, from 0 in order of opening.
    package let number: Int
    /// What the program asked, without its query: `GET /letters`.
    package let name: String
    /// What came in, in order.
    package let steps: [Step]
    /// Where the request went; `nil` for look-ups and the like.
    let authority: String?
    private let outgoing: [RecordedMessage]

    init(number: Int, messages: [RecordedMessage]) {
        self.number = number
        outgoing = messages.filter { $0.direction == .out && [.head, .body].contains($0.kind) }
        var steps: [Step] = []
        var before = messages.first?.nanoseconds ?? 0
        var sent = 0
        var isClosing = false
        for message in messages {
            switch (message.direction, message.kind) {
            case (.out, .text), (.out, .binary): sent += 1
            // The answer to the program's own farewell, which the network gives.
            case (.out, .close): isClosing = true
            case (.in, .close) where isClosing: continue
            case (.in, _):
                steps.append(
                    Step(
                        message: message,
                        gap: .nanoseconds(max(0, message.nanoseconds - before)),
                        sentBefore: sent
                    )
                )
            case (.out, .end) where steps.isEmpty == false || sent > 0:
                // When a message was complete says nothing about the peer.
                continue
            default: break
            }
            before = message.nanoseconds
        }
        self.steps = steps
        let words = (outgoing.first?.text ?? "").prefix { $0 != "\n" }.split(separator: " ", maxSplits: 1)
        let target = words.count > 1 ? words[1].split(separator: "/", omittingEmptySubsequences: false) : []
        authority = target.count > 2 ? String(target[2]) : nil
        let path = target.dropFirst(3).joined(separator: "/").prefix { $0 != "?" }
        name = "\(words.first ?? "") /\(path)"
    }

    /// The recorded head of the request, as text.
    package var head: String { outgoing.first?.text ?? "" }

    var sentBody: [UInt8] { outgoing.body }

    // MARK: What came in

    /// The error with which the request failed before it was answered, and the time until then; `nil` where that did not happen.
    ///
    /// That the program gave up waiting is none: nobody knows what would have come.
    package var failure: (error: TransportError, gap: Duration)? {
        guard let first = steps.first, first.message.kind == .failure else { return nil }
        let error = TransportErrorCoding.error(from: first.message.bytes)
        return error.code == .cancelled ? nil : (error, first.gap)
    }

    /// The head of the answer; `nil` where none came.
    package var response: HTTPResponse? {
        guard let first = steps.first, first.message.kind == .head else { return nil }
        return ReplayTransport.response(from: first.message)
    }

    /// The subprotocol that the peer chose for a WebSocket.
    package var subprotocol: String? {
        guard let first = steps.first, first.message.kind == .head else { return nil }
        return first.message.text.split(separator: " ").dropFirst().first.map { String($0) }
    }
}

extension RecordedConversation.Step {
    /// The error that came, unless it was that the program gave up waiting.
    package var error: TransportError? {
        guard message.kind == .failure else { return nil }
        let error = TransportErrorCoding.error(from: message.bytes)
        return error.code == .cancelled ? nil : error
    }

    /// How the peer ended the conversation.
    package var close: WebSocketClose? { message.kind == .close ? ReplayWebSocket.close(from: message) : nil }
}

extension RecordedMessage {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
