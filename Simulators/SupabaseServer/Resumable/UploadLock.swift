import Synchronization

/// Gives one resumable upload to one request at a time.
///
/// A request that comes while another has the upload asks that one to give up, and waits for it: a client that has lost its
/// connection need not wait until the service notices that, too.
/// Source: tus/tus-node-server `packages/server/src/lockers/MemoryLocker.ts`.
final class UploadLock: Sendable {
    private struct State {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var giveUp: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Waits for the upload, which is the caller's until ``release()``.
    func acquire() async {
        await withCheckedContinuation { continuation in
            let giveUp = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.isHeld else {
                    state.isHeld = true
                    continuation.resume()
                    return nil
                }
                state.waiting.append(continuation)
                return state.giveUp
            }
            giveUp?()
        }
    }

    /// Takes the upload where nobody has it.
    func takeIfFree() -> Bool {
        state.withLock { state in
            if state.isHeld { return false }
            state.isHeld = true
            return true
        }
    }

    /// Says how the holder can be made to give up; it is asked at once where somebody waits already.
    func holder(givesUpBy giveUp: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            state.giveUp = giveUp
            return !state.waiting.isEmpty
        }
        if isWanted { giveUp() }
    }

    /// Whether another request waits for the upload.
    var isWanted: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Passes the upload to the request that has waited longest.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.giveUp = nil
            guard !state.waiting.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
