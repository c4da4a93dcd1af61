import Concurrency
import Services
import Synchronization

/// A model whose sessions the test makes up; each `startSession` takes the next result of the script.
final class ScriptedModel: LiveModel {
    /// What an attempt to open a session comes to.
    enum Opening: Sendable {
        case opens(ScriptedSession)
        case refuses(LiveModelError)
        /// Opens once the gate is open, cancelled or not: as a service may in the very last step.
        case waits(CurrentValue<Bool>, ScriptedSession)
        /// Is never answered, and ends with `cancelled` when it is cancelled, as the real client does.
        case isNotAnswered
    }

    /// What was asked for so far.
    let asked = CurrentValue<[LiveConfiguration]>([])
    private let script: Mutex<[Opening]>

    init(_ script: [Opening]) { self.script = Mutex(script) }

    convenience init(sessions: [ScriptedSession]) {
        self.init(sessions.map(Opening.opens))
    }

    /// What was asked for so far.
    var configurations: [LiveConfiguration] { asked.value }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        asked.update { $0.append(configuration) }
        let opening = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        switch opening {
        case .opens(let session): return session
        case .refuses(let error): throw error
        case .waits(let gate, let session):
            await Task { await gate.reaches { $0 } }.value
            return session
        case .isNotAnswered:
            try? await Task.sleep(for: .seconds(100_000))
            throw LiveModelError(.cancelled, operation: "open session", peer: "script")
        case nil:
            throw LiveModelError(
                .unreachable,
                operation: "open session",
                peer: "script",
                detail: "at its end"
            )
        }
    }
}

/// A session that says what the test makes it say, and keeps what it was sent.
final class ScriptedSession: LiveSession {
    enum Sent: Hashable {
        case frame([UInt8])
        case text(String)
    }

    private struct State {
        var events: [LiveEvent] = []
        var closing: LiveEvent?
    }

    let sent = CurrentValue<[Sent]>([], backlog: 10_000)
    let closes = CurrentValue(0)
    /// While false, pictures wait to be accepted.
    let accepts = CurrentValue(true)
    /// While true, sending throws without a close code.
    let failsSends = CurrentValue(false)
    /// Pictures that wait or waited to be accepted.
    let offered = CurrentValue(0)
    private let state = Mutex(State())
    private let wake = WakeSignal()

    var frames: [[UInt8]] {
        sent.value.compactMap { if case .frame(let bytes) = $0 { bytes } else { nil } }
    }

    var texts: [String] {
        sent.value.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    func say(_ events: LiveEvent...) {
        state.withLock { $0.events += events }
        wake.raise()
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        switch input {
        case .frame(let jpeg): try await take(frame: jpeg)
        case .text(let text):
            try checkOpen("send text")
            sent.update { $0.append(.text(text)) }
        default: throw LiveModelError(.rejected, operation: "send", peer: "script")
        }
    }

    private func take(frame jpeg: [UInt8]) async throws(LiveModelError) {
        try checkOpen("send frame")
        offered.update { $0 += 1 }
        await accepts.reaches { $0 }
        guard !Task.isCancelled else {
            throw LiveModelError(.cancelled, operation: "send frame", peer: "script")
        }
        try checkOpen("send frame")
        sent.update { $0.append(.frame(jpeg)) }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        while true {
            let event: LiveEvent? = state.withLock { state in
                if let closing = state.closing { return closing }
                guard !state.events.isEmpty else { return nil }
                let event = state.events.removeFirst()
                if case .closed = event { state.closing = event }
                return event
            }
            if let event { return event }
            if await wake.wait() == .cancelled {
                throw LiveModelError(.cancelled, operation: "read event", peer: "script")
            }
        }
    }

    func close() async { closes.update { $0 += 1 } }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code { .closed }

    private func checkOpen(_ operation: String) throws(LiveModelError) {
        if failsSends.value { throw LiveModelError(.closed, operation: operation, peer: "script") }
        if case .closed(let code, let reason) = state.withLock(\.closing) {
            // What is sent after a close that was read fails with its code, as with the real client.
            throw LiveModelError(
                .closed,
                operation: operation,
                peer: "script",
                detail: reason,
                closeCode: code
            )
        }
        if closes.value > 0 { throw LiveModelError(.closed, operation: operation, peer: "script") }
    }
}

extension Published {
    /// Waits until the value meets a condition, or the task is cancelled.
    func reaches(_ condition: (Value) -> Bool) async {
        for await value in values() where condition(value) { return }
    }
}

extension CurrentValue {
    /// Waits until the value meets a condition, or the task is cancelled.
    func reaches(_ condition: (Value) -> Bool) async {
        for await value in values() where condition(value) { return }
    }
}
