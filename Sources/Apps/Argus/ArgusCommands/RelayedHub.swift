import ArgusHub
import HTTPTypes
import Transport

/// The hub as it is reached from everywhere: the same, only slower.
struct RelayedHub: Server {
    let hub: ArgusHub
    /// How much longer an answer takes.
    let latency: Duration

    var mayBlock: Bool { hub.mayBlock }

    func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        // A client that is gone waits for nothing.
        try? await Task.sleep(for: latency)
        return await hub.respond(to: request, body: body)
    }
}
