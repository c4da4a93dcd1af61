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
        case failure(TransportError.Code, TransportError.Reach)
        case hang(Duration)
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
        case .failure(let code, let reach):
            throw TransportError(code, operation: "send request", peer: "h", reach: reach)
        case .hang(let time):
            do { try await Task.sleep(for: time) } catch {
                throw TransportError(.cancelled, operation: "send request", peer: "h")
            }
            return (HTTPResponse(status: .ok), .text("{}"))
        }
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
