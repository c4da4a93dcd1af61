import Conformance
import Synchronization

/// Waits for something that must come, and for no longer than a limit, whatever that something does.
///
/// A task group would wait for its children, and a call that ignores its cancellation would keep the caller forever. Here the
/// work is a task of its own: one that is late is cancelled and left to itself.
///
/// - Throws: What the work throws, or a `ConformanceFailure` when the time is over.
func value<Value: Sendable>(
    _ requirement: String,
    within limit: Duration,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    let working = Task {
        do { race.settle(.success(try await work())) } catch { race.settle(.failure(error)) }
    }
    let timer = Task {
        try await Task.sleep(for: limit)
        race.settle(.failure(ConformanceFailure(requirement, saw: "nothing within \(limit)")))
    }
    let result = await withTaskCancellationHandler {
        await race.result()
    } onCancel: {
        race.settle(.failure(CancellationError()))
    }
    working.cancel()
    timer.cancel()
    // It ends at once: nothing is left behind by work that is in time.
    _ = await timer.result
    return try result.get()
}

/// The first of several results, for one who waits.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Result<Value, any Error>, Never>)
        case settled(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Gives a result, which counts if it is the first.
    func settle(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Value, any Error>, Never>? in
            defer { if case .settled = state {} else { state = .settled(result) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: result)
    }

    /// Waits for the first result; for one caller.
    func result() async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Result<Value, any Error>? in
                if case .settled(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
