import ArgusHub
import HTTPTypes
import Transport

/// The relay of the simulated home: the same hub, some way off.
struct Relay: Server {
    private static let latency = Duration.milliseconds(120)

    private let hub: ArgusHub

    init(_ hub: ArgusHub) { self.hub = hub }

    var mayBlock: Bool { false }

    func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        try? await Task.sleep(for: Self.latency)
        return await hub.respond(to: request, body: body)
    }
}
