import Synchronization
import Transport

/// The shared middle of a pair: owns the lock and the continuations, leaves all decisions to ``PairState``.
final class PairedConnection: Sendable {
    typealias Sending = CheckedContinuation<PairSendOutcome?, Never>
    typealias Receiving = CheckedContinuation<WebSocketEvent?, Never>

    private struct Guarded {
        var state: PairState
        var nextWaiter = 0
        var sending: [Int: Sending] = [:]
        var receiving: [Int: Receiving] = [:]
    }

    /// A continuation with its value, resumed after the lock is released.
    private enum Resumption {
        case send(Sending, PairSendOutcome?)
        case receive(Receiving, WebSocketEvent?)
    }

    private let guarded: Mutex<Guarded>

    init(clientLimits: WebSocketLimits, serverLimits: WebSocketLimits) {
        guarded = Mutex(Guarded(state: PairState(clientLimits: clientLimits, serverLimits: serverLimits)))
    }

    func makeWaiterID() -> Int {
        guarded.withLock { guarded in
            guarded.nextWaiter += 1
            return guarded.nextWaiter
        }
    }

    /// Sends if that needs no waiting; `nil` means that it does.
    func send(_ item: PairItem, from side: PairSide) -> PairSendOutcome? {
        change { $0.state.send(item, from: side, waiter: nil) }
    }

    /// Sends, or leaves `continuation` waiting for room.
    func send(_ item: PairItem, from side: PairSide, waiter: Int, _ continuation: Sending) {
        change { guarded in
            guarded.sending[waiter] = continuation
            if let outcome = guarded.state.send(item, from: side, waiter: waiter) {
                guarded.state.report(.sent(waiter: waiter, outcome))
            }
        }
    }

    func cancelSend(from side: PairSide, waiter: Int) {
        change { $0.state.cancelSend(from: side, waiter: waiter) }
    }

    /// Takes the next event if there is one.
    func receive(at side: PairSide) -> WebSocketEvent? {
        change { $0.state.receive(at: side, waiter: nil) }
    }

    /// Takes the next event, or leaves `continuation` waiting for it.
    func receive(at side: PairSide, waiter: Int, _ continuation: Receiving) {
        change { guarded in
            guarded.receiving[waiter] = continuation
            if let event = guarded.state.receive(at: side, waiter: waiter) {
                guarded.state.report(.received(waiter: waiter, event))
            }
        }
    }

    func cancelReceive(at side: PairSide, waiter: Int) {
        change { $0.state.cancelReceive(at: side, waiter: waiter) }
    }

    func end(with close: WebSocketClose) {
        change { $0.state.end(with: close) }
    }

    /// Changes the state under the lock, then wakes those whom the change concerns, in its order.
    private func change<Result: Sendable>(_ body: (inout Guarded) -> Result) -> Result {
        let (result, resumptions) = guarded.withLock { guarded in
            let result = body(&guarded)
            let resumptions = guarded.state.takeNotices().compactMap { notice -> Resumption? in
                switch notice {
                case .sent(let waiter, let outcome):
                    guarded.sending.removeValue(forKey: waiter).map { .send($0, outcome) }
                case .received(let waiter, let event):
                    guarded.receiving.removeValue(forKey: waiter).map { .receive($0, event) }
                }
            }
            return (result, resumptions)
        }
        for resumption in resumptions {
            switch resumption {
            case .send(let continuation, let outcome): continuation.resume(returning: outcome)
            case .receive(let continuation, let event): continuation.resume(returning: event)
            }
        }
        return result
    }
}
