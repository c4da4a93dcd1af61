internal import Foundation
internal import HTTPTypes
internal import PeerKit
internal import ScenarioKit
internal import Synchronization
internal import Transport

/// Notes what the app sends and what comes back, and notices what may not be on the way, at any time and whatever goes wrong.
final class NovaWatch: Sendable {
    /// A request, and what has come back.
    struct Sent: Sendable {
        let launch: Int
        let method: String
        /// Without the query.
        let path: String
        /// The key of the intent.
        let key: String?
        let body: [UInt8]
        /// The status of the answer; `nil` where none came.
        var status: Int?
        /// Whether the answer is JSON, so that it is Nova that has said something.
        var isJSON = false
    }

    fileprivate struct State {
        var launches = 0
        var sent: [Sent] = []
        /// What goes on in each process, by lane.
        var underWay: [String: Set<Int>] = [:]
        /// The first request of each key.
        var first: [String: Int] = [:]
        /// The keys of each lane, in the order in which they were sent first.
        var keys: [String: [String]] = [:]
        /// People who have signed out here.
        var absent: Set<String> = []
        var strange: [(property: String, seen: String)] = []
    }

    private let state = Mutex(State())

    /// How many processes have been started.
    var launches: Int { state.withLock(\.launches) }

    /// All requests, oldest first.
    var sent: [Sent] { state.withLock(\.sent) }

    /// Whether Nova has refused the last wish for a post for good, or often enough to be given up.
    func isGivenUp(_ postID: String) -> Bool {
        let path = "/posts/\(postID)/like"
        return state.withLock { state in
            guard let key = state.keys[path]?.last else { return false }
            let sent = state.sent.filter { $0.path == path && $0.key == key }
            let answers = sent.filter(\.isJSON).compactMap(\.status)
            // A token that is refused is renewed, and the call is sent a second time before it counts.
            let unauthorized = sent.count { $0.status == 401 } / 2
            // Work in which three processes have died in a row is not begun by a fourth.
            if Set(sent.map(\.launch)).count >= 3, !answers.contains(where: { (200..<300).contains($0) }) {
                return true
            }
            return answers.contains { [400, 403, 404, 422].contains($0) }
                || answers.count { ![401, 409, 429].contains($0) } + unauthorized >= 4
        }
    }

    /// Whether Nova has refused to renew a session since somebody has signed in.
    var hasRefusedSession: Bool {
        let since = sent.reversed().prefix { $0.path != "/auth/signin" || $0.status != 200 }
        return since.contains { $0.path == "/auth/refresh" && [400, 401].contains($0.status) }
    }

    /// Whether several wishes for a post were sent, so that a late repetition of an older one may count.
    func hasSeveralWishes(_ postID: String) -> Bool {
        state.withLock { $0.keys["/posts/\(postID)/like", default: []].count > 1 }
    }

    /// What was sent about the wishes for a post, for people.
    func story(of postID: String) -> String {
        sent.filter { $0.path == "/posts/\(postID)/like" }.map {
            "\($0.method) \($0.key?.prefix(4) ?? "") \($0.status.map { "\($0)" } ?? "no answer")"
        }.joined(separator: ", ")
    }

    /// Nothing may go out for a person from now on, but the sign-out itself.
    func expectNothing(of userID: String) { state.withLock { _ = $0.absent.insert(userID) } }

    /// The person is there again.
    func expectAll(of userID: String) { state.withLock { _ = $0.absent.remove(userID) } }

    /// Ends the scenario where something was seen that may not be.
    ///
    /// - Throws: `PropertyViolation`.
    func check() throws {
        guard let strange = state.withLock({ $0.strange.first }) else { return }
        try ScenarioKit.check(false, strange.property, strange.seen)
    }

    /// The way of one process to the network.
    func client(over base: any HTTPClient) -> any HTTPClient {
        let launch = state.withLock { state in
            state.launches += 1
            return state.launches
        }
        return Client(base: base, launch: launch, watch: self)
    }

    // MARK: Noting

    /// - Returns: The number of the request, and what it is in the way of.
    fileprivate func begin(_ request: HTTPRequest, _ body: [UInt8], _ launch: Int) -> (Int, String?) {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let token = request.headerFields[.authorization]
        let sent = Sent(
            launch: launch,
            method: request.method.rawValue,
            path: path,
            key: request.headerFields.value("Idempotency-Key"),
            body: body
        )
        let lane = Self.lane(sent)
        let number = state.withLock { state in
            let number = state.sent.count
            state.sent.append(sent)
            if let lane {
                let name = "\(launch) \(lane)"
                state.underWay[name, default: []].insert(number)
                if state.underWay[name, default: []].count > 1 {
                    state.strange.append(("a lane has one request under way at most", lane))
                }
            }
            if request.method == .put, token != nil {
                state.strange.append(("no token goes to the storage", path))
            }
            if let token, path != "/auth/signout", let person = Self.person(of: token),
                state.absent.contains(person)
            {
                state.strange.append(
                    ("nothing is sent for a person who has signed out", "\(sent.method) \(path)")
                )
            }
            if let key = sent.key { state.noteKey(key, number, lane) }
            return number
        }
        return (number, lane.map { "\(launch) \($0)" })
    }

    fileprivate func end(_ number: Int, _ lane: String?, _ head: HTTPResponse?) {
        state.withLock { state in
            if let lane { state.underWay[lane]?.remove(number) }
            state.sent[number].status = head?.status.code
            state.sent[number].isJSON =
                head?.headerFields[.contentType]?.hasPrefix("application/json") == true
        }
    }

    /// A comment was discarded while it was sent: its request may end later than the next one of its lane begins.
    fileprivate func leave(_ number: Int, _ lane: String?) {
        guard let lane, lane.hasSuffix("/comments") else { return }
        state.withLock { _ = $0.underWay[lane]?.remove(number) }
    }

    /// What has its requests one after the other; `nil` where several may be under way.
    private static func lane(_ sent: Sent) -> String? {
        if sent.path == "/auth/refresh" { return sent.path }
        guard sent.method != "GET", sent.path.hasPrefix("/posts") else { return nil }
        return sent.path
    }

    /// Whose an access token is: the subject of its claims.
    private static func person(of authorization: String) -> String? {
        let parts = authorization.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        return (try? JSONValue(json: Array(data), depth: 8))?.object?["sub"]?.string
    }

    private struct Client: HTTPClient {
        let base: any HTTPClient
        let launch: Int
        let watch: NovaWatch

        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            limits: HTTPLimits
        ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
            let bytes: [UInt8] = if case .bytes(let bytes) = body { bytes } else { [] }
            let (number, lane) = watch.begin(request, bytes, launch)
            let outcome = await withTaskCancellationHandler {
                () async -> Result<(head: HTTPResponse, body: HTTPBody), TransportError> in
                do throws(TransportError) {
                    return .success(try await base.send(request, body: body, limits: limits))
                } catch { return .failure(error) }
            } onCancel: {
                watch.leave(number, lane)
            }
            watch.end(number, lane, (try? outcome.get())?.head)
            return try outcome.get()
        }
    }
}

extension NovaWatch.State {
    /// Compares a request with what was sent under its key, and with what was sent last in its lane.
    fileprivate mutating func noteKey(_ key: String, _ number: Int, _ lane: String?) {
        let sent = sent[number]
        if let earlier = first[key].map({ self.sent[$0] }) {
            let isSame =
                (earlier.method, earlier.path) == (sent.method, sent.path) && earlier.body == sent.body
            if !isSame {
                strange.append(("a key goes with the same request each time", "\(sent.method) \(sent.path)"))
            }
        } else {
            first[key] = number
            if let lane { keys[lane, default: []].append(key) }
        }
        // Other work may be sent again when the person wants it.
        guard let lane, lane.hasSuffix("/like"), let last = keys[lane]?.last, last != key else { return }
        strange.append(("no wish is sent again after a newer one", "\(sent.method) \(sent.path)"))
    }
}
