import HTTPTypes
import SimulatedTransport
import Simulation
import Synchronization
import Transport

/// Tells every session of an event a while after it was opened.
private struct Hub: Server {
    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .notFound), .empty)
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(WebSocketLimits()) { socket in
            try? await Task.sleep(for: .seconds(60))
            try? await socket.send(text: "motion")
            // Until the client has gone.
            while case .text? = try? await socket.receive() {}
        }
    }
}

extension ZooProgram {
    static let halfOpen = ZooProgram(
        "half-open",
        .network,
        "a client that only receives never learns that the other side has lost the connection"
    ) { isFixed in
        let world = ZooNetwork()
        _ = try await world.hub.listen(Hub(), at: SocketAddress(host: "hub", port: 80))
        let forgets = Simulation.current?.faultSource("forget hub").fires(probability: 0.2) != nil
        let phone = Task { () -> Bool in
            let request = HTTPRequest(method: .get, scheme: "ws", authority: "hub", path: "/events")
            for _ in 0..<3 {
                guard
                    let socket = try? await world.phone.connect(
                        request,
                        limits: WebSocketLimits(),
                        timeout: .seconds(30)
                    )
                else { continue }
                let heard = await listen(socket, beats: isFixed)
                await socket.close(.normal)
                if heard { return true }
            }
            return false
        }
        try await Task.sleep(for: .seconds(10))
        if forgets { world.network.forgetConnections(of: "hub", to: "phone") }
        let patience = Task {
            try await Task.sleep(for: .seconds(3600))
            phone.cancel()
        }
        let heard = await phone.value
        patience.cancel()
        try expect(heard, "an event was never heard of")
    }
}

/// Waits for one event; asks now and then whether anybody is there, or trusts that somebody is.
private func listen(_ socket: any WebSocket, beats: Bool) async -> Bool {
    let beating = Task {
        while beats {
            try await Task.sleep(for: .seconds(20))
            do { try await socket.ping(timeout: .seconds(10)) } catch {
                await socket.close(.normal)
                return
            }
        }
    }
    defer { beating.cancel() }
    if case .text("motion")? = try? await socket.receive() { return true }
    return false
}
