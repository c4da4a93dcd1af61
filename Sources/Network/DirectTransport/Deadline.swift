import Synchronization
import Transport

/// Runs `body`, and throws `failure` if it takes longer than `timeout`; the slower one is cancelled and awaited.
func withDeadline<Value: Sendable>(
    _ timeout: Duration,
    failure: TransportError,
    _ body: @escaping @Sendable () async throws(TransportError) -> Value
) async throws(TransportError) -> Value {
    let cancelled = TransportError(.cancelled, operation: failure.operation, peer: failure.peer)
    let result = await withTaskGroup(of: Result<Value, TransportError>.self) { group in
        group.addTask {
            do throws(TransportError) { return .success(try await body()) } catch { return .failure(error) }
        }
        group.addTask {
            do { try await Task.sleep(for: timeout) } catch { return .failure(cancelled) }
            return .failure(failure)
        }
        let first = await group.next() ?? .failure(cancelled)
        group.cancelAll()
        return first
    }
    return try result.get()
}

/// A value that one task gives and one task waits for; the wait can be cancelled, the giver never waits.
final class Handover<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value)
        case over
    }

    private let state = Mutex(State.empty)

    /// Gives the value; ignored when the wait is over.
    func give(_ value: Value) {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .given(value)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .given, .over: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The value, or `nil` when the waiting task was cancelled.
    ///
    /// To be called once.
    func take() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value: Value?? = state.withLock { state in
                    switch state {
                    case .empty:
                        state = .waiting(continuation)
                        return .none
                    case .given(let value):
                        state = .over
                        return .some(value)
                    case .waiting, .over: return .some(nil)
                    }
                }
                if let value { continuation.resume(returning: value) }
                if Task.isCancelled { abandon() }
            }
        } onCancel: {
            abandon()
        }
    }

    private func abandon() {
        let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .over
            return continuation
        }
        waiting?.resume(returning: nil)
    }
}
