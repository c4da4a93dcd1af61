import Synchronization

/// Whether requests to an origin may share a connection, as they do on HTTP/2.
///
/// The pool does not say to which origin a connection of HTTP/2 belongs. After each new one, every origin of `https` may
/// have it until it answers: with HTTP/1.1, its requests have connections of their own.
package final class Multiplexing: Sendable {
    private struct State {
        var connections = 0
        /// How many connections of HTTP/2 there had been when the origin last answered with HTTP/1.1.
        var alone: [String: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The pool has opened a connection of HTTP/2.
    package func opened() { state.withLock { $0.connections += 1 } }

    /// The origin has answered.
    package func answered(_ origin: String, isShared: Bool) {
        guard Self.mayNegotiate(origin) else { return }
        state.withLock { $0.alone[origin] = isShared ? nil : $0.connections }
    }

    /// Whether a request to the origin may have been sent on a connection with others.
    package func isPossible(_ origin: String) -> Bool {
        guard Self.mayNegotiate(origin) else { return false }
        return state.withLock { $0.connections > $0.alone[origin] ?? 0 }
    }

    /// HTTP/2 is agreed upon within the handshake of TLS.
    private static func mayNegotiate(_ origin: String) -> Bool { origin.hasPrefix("https:") }
}
