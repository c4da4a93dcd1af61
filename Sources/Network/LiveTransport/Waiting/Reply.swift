import Synchronization
import Transport

/// One answer that an event loop owes to one waiting task.
///
/// The first settlement counts, whether it comes from the event loop or from cancellation; later ones are
/// ignored, so neither side needs to know what the other did.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Result<Value, TransportError>, Never>)
        case settled(Result<Value, TransportError>)
        case taken
    }

    private let state = Mutex(State.open)

    /// Gives the answer, and returns whether it counts; does nothing when one was given before.
    @discardableResult
    func settle(_ result: Result<Value, TransportError>) -> Bool {
        let (isFirst, waiter) = state.withLock {
            state -> (Bool, CheckedContinuation<Result<Value, TransportError>, Never>?) in
            switch state {
            case .open:
                state = .settled(result)
                return (true, nil)
            case .waiting(let continuation):
                state = .taken
                return (true, continuation)
            case .settled, .taken:
                return (false, nil)
            }
        }
        waiter?.resume(returning: result)
        return isFirst
    }

    /// Waits for the answer, once; cancellation of the calling task answers with `cancelled`.
    func value(orWhenCancelled cancelled: TransportError) async throws(TransportError) -> Value {
        let result = await withTaskCancellationHandler {
            await uncancellableResult()
        } onCancel: {
            settle(.failure(cancelled))
        }
        return try result.get()
    }

    /// Waits for the answer, once, also in a cancelled task.
    func uncancellableResult() async -> Result<Value, TransportError> {
        await withCheckedContinuation { continuation in
            let early: Result<Value, TransportError>? = state.withLock { state in
                switch state {
                case .open:
                    state = .waiting(continuation)
                    return nil
                case .settled(let result):
                    state = .taken
                    return result
                case .waiting, .taken:
                    preconditionFailure("A reply is awaited once.")
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }
}
