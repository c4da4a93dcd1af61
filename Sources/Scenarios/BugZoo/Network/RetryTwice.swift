import HTTPTypes
import SimulatedTransport
import Simulation
import Synchronization
import Transport

/// Takes orders; those with a key that it knows are the same order again.
private final class Shop: Server {
    private let state = Mutex<(orders: Int, keys: Set<String>)>((0, []))
    var orders: Int { state.withLock { $0.orders } }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let key = request.headerFields[.idempotencyKey]
        state.withLock { state in
            if let key, !state.keys.insert(key).inserted { return }
            state.orders += 1
        }
        return (HTTPResponse(status: .created), .empty)
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: .notFound), .empty)
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .eTag
}

extension ZooProgram {
    static let retryTwice = ZooProgram(
        "retry-twice",
        .network,
        "an order whose answer is lost is sent again, and executed twice"
    ) { isFixed in
        let world = ZooNetwork()
        let shop = Shop()
        _ = try await world.hub.listen(shop, at: SocketAddress(host: "hub", port: 80))
        world.network["phone", "hub"].back.conditions.resets = 0.1
        for order in Simulation.work("orders", count: 3) {
            var request = HTTPRequest(method: .post, scheme: "http", authority: "hub", path: "/orders")
            if isFixed { request.headerFields[.idempotencyKey] = "order-\(order)" }
            for _ in 0..<10 {
                if (try? await world.phone.send(request, body: .empty, timeout: .seconds(5))) != nil { break }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try expect(shop.orders <= Simulation.work("orders", count: 3).count, "an order was made twice")
    }
}
