import HTTPTypes
import SimulatedTransport
import Simulation
import Transport

/// What 1,000 requests over the simulated network cost, in a simulation of their own: one after the other, and all at once.
enum SimulatedRequests {
    private static let count = 1_000

    private struct Unanswered: Error { var missing: Int }

    static let benchmark = Benchmark(
        name: "requests",
        summary: "milliseconds of a simulation with 1,000 requests over its network"
    ) { options in
        let rounds = options.rounds ?? 15
        func measure(_ ask: @escaping @Sendable (SimulatedHost) async throws -> Int) throws -> Samples {
            try repeated(rounds: rounds) { try Elapsed.of { try simulate(ask) }.elapsed.thread * 1000 }
        }
        return [
            Finding(
                "requests.sequential",
                "core ms",
                try measure { client in
                    var answered = 0
                    for _ in 0..<count { answered += try await request(from: client) }
                    return answered
                }
            ),
            Finding(
                "requests.concurrent",
                "core ms",
                try measure { client in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<count { group.addTask { try await request(from: client) } }
                        return try await group.reduce(0, +)
                    }
                }
            ),
        ]
    }

    private static func simulate(_ ask: @escaping @Sendable (SimulatedHost) async throws -> Int) throws {
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            let (client, server) = (network.host("client"), network.host("server"))
            let listener = try await server.listen(Greeter(), at: SocketAddress(host: "server", port: 80))
            let answered = try await ask(client)
            guard answered == count else { throw Unanswered(missing: count - answered) }
            await listener.stop()
        }
    }

    /// Sends one request; returns 1 when the answer is the expected one.
    private static func request(from client: SimulatedHost) async throws -> Int {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/greeting")
        let answer = try await client.send(request, body: .empty, timeout: .seconds(10))
        return try await answer.body.collect(upTo: 1000).count == Greeter.greeting.utf8.count ? 1 : 0
    }

    private struct Greeter: Server {
        static let greeting = "Good morning, this is the server."

        func respond(
            to request: HTTPRequest,
            body: HTTPBody
        ) async -> (head: HTTPResponse, body: HTTPBody) {
            (HTTPResponse(status: .ok), .text(Self.greeting))
        }
    }
}
