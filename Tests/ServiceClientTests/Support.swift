import Concurrency
import Foundation
import HTTPTypes
import ServiceClient
import Services
import Synchronization
import Transport

/// A client that answers from a list, and keeps what was sent.
final class ListedClient: HTTPClient {
    enum Step: Sendable {
        case answer(Int, HTTPFields = [:], String = "{}")
        case failure(TransportError.Code, TransportError.Reach, String = "")
        case hang(Duration)
        /// Chunks of a body, each after a pause, and how it ends.
        case stream([[UInt8]], Duration, End)
    }

    /// How the body of a stream ends.
    enum End: Sendable {
        case over, reset
        /// From its beginning.
        case again
        /// Nothing comes; calls back when nobody holds the body any more.
        case silent(@Sendable () -> Void)
    }

    private let state: Mutex<(steps: [Step], sent: [(request: HTTPRequest, body: [UInt8])])>

    init(_ steps: [Step]) { state = Mutex((steps, [])) }

    var sent: [(request: HTTPRequest, body: [UInt8])] { state.withLock { $0.sent } }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let bytes = try await body.collect(upTo: 1 << 20)
        // The last step answers all that come after it.
        let step = state.withLock { state in
            state.sent.append((request, bytes))
            return state.steps.count > 1 ? state.steps.removeFirst() : state.steps[0]
        }
        switch step {
        case .answer(let status, let fields, let text):
            return (HTTPResponse(status: .init(code: status), headerFields: fields), .text(text))
        case .failure(let code, let reach, let detail):
            throw TransportError(code, operation: "send request", peer: "h", detail: detail, reach: reach)
        case .hang(let time):
            do { try await Task.sleep(for: time) } catch {
                throw TransportError(.cancelled, operation: "send request", peer: "h")
            }
            return (HTTPResponse(status: .ok), .text("{}"))
        case .stream(let chunks, let pause, let end):
            return (HTTPResponse(status: .ok), .stream(Self.stream(of: chunks, pause, end), length: nil))
        }
    }

    private static func stream(of chunks: [[UInt8]], _ pause: Duration, _ end: End) -> ByteStream {
        let (left, release) = (CurrentValue(chunks), Release(end))
        return ByteStream { () async throws(TransportError) in
            do {
                try await Task.sleep(for: pause)
                while true {
                    let next = left.update { left in left.isEmpty ? nil : left.removeFirst() }
                    if let next { return next }
                    switch end {
                    case .over: return withExtendedLifetime(release) { nil }
                    case .reset: throw TransportError(.reset, operation: "give body", peer: "h")
                    case .again: left.set(chunks)
                    case .silent: try await Task.sleep(for: .seconds(86_400))
                    }
                }
            } catch let error as TransportError { throw error } catch {
                throw TransportError(.cancelled, operation: "give body", peer: "h")
            }
        }
    }

    private final class Release: Sendable {
        let end: End

        init(_ end: End) { self.end = end }

        deinit { if case .silent(let release) = end { release() } }
    }
}

extension ServiceClient {
    init(
        _ client: ListedClient,
        retries: Int = 3,
        deadline: Duration = .seconds(60),
        tokens: BearerTokens? = nil
    ) {
        var policy = CallPolicy.interactive
        policy.retries.retries = retries
        policy.deadline = deadline
        self.init(client, policy: policy, tokens: tokens) { ServiceAddress("http://h/v1") }
    }
}

/// A document of tests.
struct Document: Codable, Sendable, Equatable { var name = "n" }

/// Secrets in memory, which can be made to fail.
final class BrittleSecrets: SecretStore {
    private let state = Mutex<(secrets: [String: Secret], fails: Bool)>(([:], false))

    func fail(_ fails: Bool = true) { state.withLock { $0.fails = fails } }

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        let (secret, fails) = state.withLock { ($0.secrets[name], $0.fails) }
        if fails { throw .unavailable(detail: "broken") }
        return secret
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if state.withLock({ $0.fails }) { throw .unavailable(detail: "broken") }
        state.withLock { $0.secrets[name] = secret }
    }
}
