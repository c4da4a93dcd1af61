import HTTPTypes
import PeerKit
import Synchronization
import Transport

/// Calls a server as if it were across the network, and keeps what was sent.
final class ServerClient: HTTPClient {
    /// What becomes of the next requests.
    enum Trouble {
        case unreachable
        case silence
        /// The request takes effect, and the connection breaks before its answer.
        case lostAnswer
        /// The service's own form, with a status, a label and a message.
        case refusal(Int, String, String)
    }

    private let server: any Server
    private let log = Mutex<[(request: HTTPRequest, body: [UInt8])]>([])
    private let troubles = Mutex<[Trouble]>([])

    init(_ server: any Server) { self.server = server }

    var sent: [(request: HTTPRequest, body: [UInt8])] { log.withLock { $0 } }

    func meet(_ trouble: Trouble) { troubles.withLock { $0.append(trouble) } }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        if Task.isCancelled { throw failure(.cancelled) }
        let bytes = try await body.collect(upTo: 1 << 30)
        log.withLock { $0.append((request, bytes)) }
        switch troubles.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case .unreachable: throw failure(.refused)
        case .silence: throw failure(.timedOut)
        case .lostAnswer:
            _ = await server.respond(to: request, body: .bytes(bytes))
            throw failure(.reset)
        case .refusal(let status, let label, let message):
            let refusal: JSONValue = [
                "statusCode": .string("\(status)"), "error": .string(label), "message": .string(message),
            ]
            // The service has HTTP 400 for all but its own failures.
            let head = HTTPResponse(status: .init(code: status < 500 ? 400 : status))
            return (head, .bytes(refusal.json))
        case nil: break
        }
        let (head, answer) = await server.respond(to: request, body: .bytes(bytes))
        // Answers stream from the network, also those that a server had at once.
        guard case .bytes(let whole) = answer else { return (head, answer) }
        let rest = Mutex(whole[...])
        let stream = ByteStream { () async throws(TransportError) in
            rest.withLock { rest in
                let chunk = Array(rest.prefix(1000))
                rest.removeFirst(chunk.count)
                return chunk.isEmpty ? nil : chunk
            }
        }
        return (head, .stream(stream, length: nil))
    }

    private func failure(_ code: TransportError.Code) -> TransportError {
        TransportError(code, operation: "send request", peer: "project.example", detail: "in a test")
    }
}

/// Answers every request with the same.
struct FixedServer: Server {
    var status: Int
    var body: HTTPBody
    var headers = HTTPFields()

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .init(code: status), headerFields: headers), self.body)
    }
}
