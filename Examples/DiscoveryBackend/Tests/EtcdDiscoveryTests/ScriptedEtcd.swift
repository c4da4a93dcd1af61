import Concurrency
import Foundation
import HTTPTypes
import Synchronization
import Transport

/// The HTTP gateway of an etcd, in memory.
///
/// What it models: keys with revisions, ranges, leases that expire, watches from a revision on, an old one included; answers and streams as version 3.4.23
/// gives them, the streams cut anywhere; a registry that is down, and watches that are cut or go dead.
///
/// What it does not model: a cluster, transactions, compaction, users, limits, the fields of answers that a browser does not read.
///
/// Compared with the real one: by the same suite on Debian's etcd 3.4.23 (`EtcdConformance`), and by its answers to `curl`.
final class ScriptedEtcd: Server {
    /// What goes wrong from now on.
    enum Trouble: Sendable {
        /// Whoever asks gets 503.
        case isDown
        /// Watches end after their first line.
        case cutsWatches
        /// Watches say nothing of changes.
        case losesWatches
    }

    private struct State {
        var revision = 1
        var pairs: [Data: (value: Data, lease: String?)] = [:]
        /// The keys that have changed, by revision.
        var changes: [(revision: Int, key: Data)] = []
        var leases: [String: (seconds: Int, end: ContinuousClock.Instant)] = [:]
        var watches: [WakeSignal] = []
        var trouble: Trouble?
    }

    private let state = Mutex(State())

    /// Lets something go wrong; `nil` ends it.
    func meet(_ trouble: Trouble?) { state.withLock { $0.trouble = trouble } }

    /// Writes a value under a key as anybody may.
    func put(_ value: String, at key: String) { put(Data(value.utf8), at: Data(key.utf8), lease: nil) }

    // MARK: Calls

    private struct Asked: Decodable {
        var key: Data?
        var range_end: Data?
        var value: Data?
        var lease: String?
        var limit: Int?
        var start_revision: String?
        var TTL: Int?
        var ID: String?
        var create_request: [String: String]?
    }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        guard let bytes = try? await body.collect(upTo: 1 << 20),
            let asked = try? JSONDecoder().decode(Asked.self, from: Data(bytes)), request.method == .post
        else { return (HTTPResponse(status: .badRequest), .text("{\"error\":\"no document\",\"code\":3}")) }
        guard state.withLock({ if case .isDown = $0.trouble { false } else { true } }) else {
            return (HTTPResponse(status: .serviceUnavailable), .text("etcdserver: no leader"))
        }
        switch request.path {
        case "/v3/kv/range": return answer(range(asked))
        case "/v3/kv/put":
            put(asked.value ?? Data(), at: asked.key ?? Data(), lease: asked.lease)
            return answer([:])
        case "/v3/kv/deleterange":
            remove(asked.key ?? Data())
            return answer([:])
        case "/v3/lease/grant": return answer(["ID": grant(asked.TTL ?? 0)])
        case "/v3/lease/keepalive":
            renew(asked.ID ?? "")
            return answer([:])
        case "/v3/watch": return watch(asked.create_request ?? [:])
        default: return (HTTPResponse(status: .notFound), .text("Not Found"))
        }
    }

    private func answer(_ members: [String: Any]) -> (head: HTTPResponse, body: HTTPBody) {
        (
            HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            .bytes(line(members))
        )
    }

    /// A document with the registry's header.
    ///
    /// In JSON of the gateway, 64-bit numbers are texts.
    private func line(_ members: [String: Any]) -> [UInt8] {
        let header = ["revision": "\(state.withLock { $0.revision })", "raft_term": "2"]
        let document = members.merging(["header": header]) { one, _ in one }
        return Array((try? JSONSerialization.data(withJSONObject: document, options: .sortedKeys)) ?? Data())
    }

    // MARK: Pairs

    private func range(_ asked: Asked) -> [String: Any] {
        let (start, end) = (Array(asked.key ?? Data()), Array(asked.range_end ?? Data()))
        let pairs = state.withLock { $0.pairs }
            .filter {
                !$0.key.lexicographicallyPrecedes(start) && $0.key.lexicographicallyPrecedes(end)
            }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .prefix(asked.limit ?? .max)
        // What is empty is absent.
        guard !pairs.isEmpty else { return [:] }
        return [
            "kvs": pairs.map {
                ["key": $0.key.base64EncodedString(), "value": $0.value.value.base64EncodedString()]
            }, "count": "\(pairs.count)",
        ]
    }

    private func put(_ value: Data, at key: Data, lease: String?) {
        change(key) { $0.pairs[key] = (value, lease) }
    }

    private func remove(_ key: Data) { change(key) { $0.pairs[key] = nil } }

    private func change(_ key: Data, _ body: (inout State) -> Void) {
        let watches = state.withLock { state in
            body(&state)
            state.revision += 1
            state.changes.append((state.revision, key))
            return state.watches
        }
        for watch in watches { watch.raise() }
    }

    // MARK: Leases

    private func grant(_ seconds: Int) -> String {
        let id = state.withLock { state in
            let id = "\(7_587_899_213_782_658_565 + state.leases.count)"
            state.leases[id] = (seconds, .now + .seconds(seconds))
            return id
        }
        Task { await expire(id) }
        return id
    }

    private func renew(_ id: String) {
        state.withLock { state in
            guard let lease = state.leases[id] else { return }
            state.leases[id]?.end = .now + .seconds(lease.seconds)
        }
    }

    private func expire(_ id: String) async {
        while let end = state.withLock({ $0.leases[id]?.end }), end > .now {
            try? await Task.sleep(until: end, clock: .continuous)
        }
        let keys = state.withLock { state in
            state.leases[id] = nil
            return state.pairs.filter { $0.value.lease == id }.keys.sorted {
                $0.lexicographicallyPrecedes($1)
            }
        }
        for key in keys { remove(key) }
    }

    // MARK: Watches

    private func watch(_ asked: [String: String]) -> (head: HTTPResponse, body: HTTPBody) {
        let prefix = Array(asked["key"].flatMap { Data(base64Encoded: $0) } ?? Data())
        let watch = Watch(Int(asked["start_revision"] ?? "") ?? 0)
        state.withLock { $0.watches.append(watch.signal) }
        let first = line(["created": true])
        let stream = ByteStream { [self] () async throws(TransportError) in
            if let piece = watch.piece() { return piece }
            if watch.isNew {
                watch.say(Array("{\"result\":".utf8) + first + Array("}\n".utf8))
                return watch.piece()
            }
            while true {
                let trouble = state.withLock { $0.trouble }
                if case .cutsWatches = trouble { return nil }
                let change = state.withLock { state in
                    state.changes.first { $0.revision >= watch.next && $0.key.starts(with: prefix) }
                }
                if let change, trouble == nil {
                    watch.next = change.revision + 1
                    let event = ["kv": ["key": change.key.base64EncodedString()]]
                    watch.say(Array("{\"result\":".utf8) + line(["events": [event]]) + Array("}\n".utf8))
                    return watch.piece()
                }
                guard await watch.signal.wait() != .cancelled else {
                    throw TransportError(.reset, operation: "give body", peer: "client")
                }
            }
        }
        return (HTTPResponse(status: .ok), .stream(stream, length: nil))
    }
}

/// One watch; it has one reader at a time.
private final class Watch: Sendable {
    let signal = WakeSignal()
    private let state: Mutex<(bytes: ArraySlice<UInt8>, isNew: Bool, next: Int)>

    init(_ start: Int) { state = Mutex(([], true, start)) }

    var isNew: Bool { state.withLock { $0.isNew } }
    /// The first revision that was not reported.
    var next: Int {
        get { state.withLock { $0.next } }
        set { state.withLock { $0.next = newValue } }
    }

    func say(_ line: [UInt8]) { state.withLock { ($0.bytes, $0.isNew) = (line[...], false) } }

    /// At most 50 bytes of what is to be said.
    func piece() -> [UInt8]? {
        state.withLock { state in
            guard !state.bytes.isEmpty else { return nil }
            defer { state.bytes = state.bytes.dropFirst(50) }
            return Array(state.bytes.prefix(50))
        }
    }
}
