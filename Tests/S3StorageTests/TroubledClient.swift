import HTTPTypes
import Synchronization
import Transport

/// Sends requests with another client, keeps what was sent, and has the next ones fail.
final class TroubledClient: HTTPClient {
    /// What becomes of the next request.
    enum Trouble {
        case unreachable
        case silence
        /// The request takes effect, and the connection breaks before its answer.
        case lostAnswer
        /// Somebody answers with this, and nothing else happens.
        case answer(Int, HTTPFields, String)
    }

    private let base: any HTTPClient
    private let log = Mutex<[HTTPRequest]>([])
    private let troubles = Mutex<[Trouble?]>([])

    init(_ base: any HTTPClient) { self.base = base }

    var sent: [HTTPRequest] { log.withLock { $0 } }
    /// Methods and paths without queries.
    var lines: [String] {
        sent.map { "\($0.method) \(($0.path ?? "").prefix { $0 != "?" })" }
    }

    func meet(_ trouble: Trouble?...) { troubles.withLock { $0 += trouble } }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        log.withLock { $0.append(request) }
        switch troubles.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case .unreachable: throw failure(.refused)
        case .silence: throw failure(.timedOut)
        case .lostAnswer:
            _ = try await base.send(request, body: body, limits: limits)
            throw failure(.reset)
        case .answer(let status, let fields, let text):
            return (HTTPResponse(status: .init(code: status), headerFields: fields), .text(text))
        case nil: return try await base.send(request, body: body, limits: limits)
        }
    }

    private func failure(_ code: TransportError.Code) -> TransportError {
        TransportError(code, operation: "send request", peer: "s3.example.com", detail: "in a test")
    }
}

/// Calls a server as if it were across the network.
struct ServerClient: HTTPClient {
    let server: any Server

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        if Task.isCancelled {
            throw TransportError(
                .cancelled,
                operation: "send request",
                peer: "s3.example.com",
                detail: "in a test"
            )
        }
        return await server.respond(to: request, body: body)
    }
}
