internal import Synchronization

/// Pictures that a page asks a recorded session for, beside the states of its screens.
///
/// Each request has a number of its own: two tabs that ask for one picture at once both get it.
public final class SessionPictures: Sendable {
    private struct State {
        var requests = 0
        /// By the numbers of the requests.
        var found: [Int: [UInt8]] = [:]
    }

    private let state = Mutex(State())

    /// Has none.
    public init() {}

    /// What the session has found for a request; `nil` where there is nothing.
    public func deliver(_ request: Int, _ picture: [UInt8]?) {
        state.withLock { $0.found[request] = picture }
    }

    /// Asks the session for a picture.
    ///
    /// - Parameter ask: Has the session deliver what the request with this number wants, and returns when it has.
    /// - Returns: `nil` where the session has found none.
    public func picture(_ ask: (_ request: Int) async -> Void) async -> [UInt8]? {
        let request = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        await ask(request)
        return state.withLock { $0.found.removeValue(forKey: request) }
    }
}
