internal import ArgusHub
internal import HTTPTypes
internal import PeerKit
internal import Synchronization
internal import Transport

/// The tokens that a hub has given through its gates, and those that it was sent without having given them.
final class TokenLedger: Sendable {
    private struct State {
        var given: Set<String> = []
        var strange: [String] = []
    }

    private let state = Mutex(State())

    /// The paths to which tokens of another hub, or of none, were sent.
    var strange: [String] { state.withLock(\.strange) }

    /// Notes what a request carries.
    func take(_ token: String, to path: String) {
        state.withLock { if !$0.given.contains(token) { $0.strange.append(path) } }
    }

    /// Notes what an answer gives.
    func give(_ tokens: [String]) { state.withLock { $0.given.formUnion(tokens) } }
}

/// A way into a hub, at home or through a relay.
final class HubGate: Server {
    /// How a gate is.
    enum Condition: Sendable, Hashable {
        case open
        /// The hub is asked late.
        case slow(Duration)
        /// A proxy answers with a page and a status.
        case page(Int)
    }

    private struct State {
        var condition = Condition.open
        var paths: [String] = []
    }

    private let hub: ArgusHub
    private let ledger: TokenLedger
    private let state = Mutex(State())

    init(_ hub: ArgusHub, _ ledger: TokenLedger) { (self.hub, self.ledger) = (hub, ledger) }

    /// The paths of the requests that have come, oldest first.
    var paths: [String] { state.withLock(\.paths) }

    /// How many requests have come.
    var requests: Int { state.withLock { $0.paths.count } }

    /// Has it be otherwise from now on.
    func set(_ condition: Condition) { state.withLock { $0.condition = condition } }

    var mayBlock: Bool { false }

    func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let condition = state.withLock { state in
            state.paths.append(path)
            return state.condition
        }
        if let token = request.headerFields[.authorization]?.split(separator: " ").last {
            ledger.take(String(token), to: path)
        }
        var body = body
        if path.hasSuffix("/refresh"), let bytes = try? await body.collect(upTo: 65_536) {
            for token in Self.tokens(in: bytes) { ledger.take(token, to: path) }
            body = .bytes(bytes)
        }
        switch condition {
        case .open: break
        case .slow(let time): try? await Task.sleep(for: time)
        case .page(let status): return PeerAnswer.page(status: status).response
        }
        let answer = await hub.respond(to: request, body: body)
        if case .bytes(let bytes) = answer.body, path.contains("/auth/") {
            ledger.give(Self.tokens(in: bytes))
        }
        return answer
    }

    private static func tokens(in body: [UInt8]) -> [String] {
        let fields = (try? JSONValue(json: body, depth: 8))?.object ?? [:]
        return ["access_token", "refresh_token"].compactMap { fields[$0]?.string }
    }
}
