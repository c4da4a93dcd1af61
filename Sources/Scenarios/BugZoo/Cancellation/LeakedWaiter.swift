import Synchronization

private final class Gate: Sendable {
    private enum State {
        case closed([Int: CheckedContinuation<Void, Never>])
        case open
    }
    private let state = Mutex(State.closed([:]))

    func wait(_ number: Int, isFixed: Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in  // race: late
                let goesOn = state.withLock { state in
                    guard case .closed(var waiting) = state, !(isFixed && Task.isCancelled) else {
                        return true
                    }
                    waiting[number] = continuation  // race: late
                    state = .closed(waiting)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            // It may come before the continuation is there; then nobody will ever resume it.
            take(number)?.resume()  // race: early
        }
    }

    private func take(_ number: Int) -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            guard case .closed(var waiting) = state else { return nil }
            defer { state = .closed(waiting) }
            return waiting.removeValue(forKey: number)
        }
    }
}

extension ZooProgram {
    static let leakedWaiter = ZooProgram(
        "leaked-waiter",
        .cancellation,
        "a cancellation that comes before the continuation is stored is lost, and the task waits forever"
    ) { isFixed in
        let gate = Gate()
        let waiter = Task {
            await Task.yield()  // race: late
            await gate.wait(1, isFixed: isFixed)  // race: late
        }
        for _ in 0..<4 { await Task.yield() }  // race: early
        waiter.cancel()  // race: early
        await waiter.value
    }
}
