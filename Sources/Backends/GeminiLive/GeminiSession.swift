import Services
import Synchronization
import Transport

/// One open connection to Gemini Live whose setup has been accepted.
final class GeminiSession: LiveSession {
    private struct State {
        /// Events of messages already read; bounded by the parts that one message can hold.
        var pending: ArraySlice<LiveEvent>
        /// Set once the end has been seen.
        var close: WebSocketClose?
    }

    private let socket: any WebSocket
    private let peer: String
    private let key: Secret
    private let textRoute: GeminiOptions.TextRoute
    private let state: Mutex<State>

    init(
        _ socket: any WebSocket,
        peer: String,
        key: Secret,
        textRoute: GeminiOptions.TextRoute,
        events: [LiveEvent]
    ) {
        self.socket = socket
        self.peer = peer
        self.key = key
        self.textRoute = textRoute
        state = Mutex(State(pending: events[...]))
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        let message: String
        do { message = try ClientMessage.input(input, route: textRoute) } catch {
            throw LiveModelError(.rejected, operation: input.operation, peer: peer, detail: input.requirement)
        }
        do throws(TransportError) { try await socket.send(text: message) } catch {
            throw failure(error, operation: input.operation)
        }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        if let event = state.withLock({ $0.pending.popFirst() }) { return event }
        let incoming: WebSocketPayload
        do throws(TransportError) { incoming = try await socket.receivePayload() } catch {
            throw failure(error, operation: "receive")
        }
        let events = MessageReading(incoming, key: key).events
        return state.withLock { state in
            if case .closed(let close) = incoming { state.close = close }
            state.pending += events
            return state.pending.popFirst() ?? .other
        }
    }

    func close() async {
        await socket.close(.normal)
    }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        LiveModelError.Code(WebSocketClose(code: code, reason: reason))
    }

    private func failure(_ error: TransportError, operation: String) -> LiveModelError {
        let close = state.withLock(\.close)
        let code: LiveModelError.Code =
            switch error.code {
            case .cancelled: .cancelled
            case .tooLarge: .rejected
            default: .closed
            }
        return LiveModelError(
            code,
            operation: operation,
            peer: peer,
            detail: key.redacted(from: close?.description ?? error.detail),
            closeCode: code == .closed ? close?.code : nil
        )
    }
}

extension LiveInput {
    fileprivate var operation: String {
        switch self {
        case .frame: "send frame"
        case .text: "send text"
        case .audio: "send audio"
        case .audioStreamEnd: "end audio"
        case .activityStart: "start activity"
        case .activityEnd: "end activity"
        case .turns: "send turns"
        case .toolResponses: "answer tool"
        case .contextUpdate: "update context"
        }
    }

    /// What an input of this kind has to be.
    fileprivate var requirement: String {
        switch self {
        case .audio:
            "sound is whole 16-bit samples at \(LiveAudio.rates.lowerBound) to \(LiveAudio.rates.upperBound) Hz"
        case .toolResponses: "the answer to a call holds numbers that JSON has"
        case .contextUpdate: "an update of the context names instructions or tools, in numbers that JSON has"
        case .frame, .text, .audioStreamEnd, .activityStart, .activityEnd, .turns: "cannot be written as JSON"
        }
    }
}
