internal import HTTPTypes
internal import PeerKit
internal import ScenarioKit
internal import Synchronization
internal import Transport

/// Notes what the app sends, and notices where two requests try to renew the same token at once.
final class ArgusWatch: Sendable {
    /// A renewal, in one process: what an ended one has sent is not answered any more.
    private struct Refresh: Hashable {
        let launch: Int
        let token: String
    }

    private struct State {
        var launches = 0
        var underWay: [Refresh: Int] = [:]
        var most = 0
        var requests: [String] = []
    }

    private let state = Mutex(State())

    /// The paths of all requests, oldest first.
    var requests: [String] { state.withLock(\.requests) }

    /// The way of one process to the network.
    func client(over base: any HTTPClient) -> any HTTPClient {
        let launch = state.withLock { state in
            state.launches += 1
            return state.launches
        }
        return Client(base: base, launch: launch, watch: self)
    }

    /// Ends the scenario where something was seen that may not be.
    ///
    /// - Throws: `PropertyViolation`.
    func check() throws {
        let most = state.withLock(\.most)
        try ScenarioKit.check(most <= 1, "at most one refresh is under way", "\(most) at once")
    }

    private func begin(_ refresh: Refresh) {
        state.withLock { state in
            let count = state.underWay[refresh, default: 0] + 1
            state.underWay[refresh] = count
            state.most = max(state.most, count)
        }
    }

    private func end(_ refresh: Refresh) { state.withLock { $0.underWay[refresh, default: 1] -= 1 } }

    private struct Client: HTTPClient {
        let base: any HTTPClient
        let launch: Int
        let watch: ArgusWatch

        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            limits: HTTPLimits
        ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
            let path = String((request.path ?? "").prefix { $0 != "?" })
            watch.state.withLock { $0.requests.append(path) }
            guard path.hasSuffix("/auth/refresh"), case .bytes(let bytes) = body,
                let token = (try? JSONValue(json: bytes, depth: 8))?.object?["refresh_token"]?.string
            else { return try await base.send(request, body: body, limits: limits) }
            let refresh = Refresh(launch: launch, token: token)
            watch.begin(refresh)
            defer { watch.end(refresh) }
            return try await base.send(request, body: body, limits: limits)
        }
    }
}
