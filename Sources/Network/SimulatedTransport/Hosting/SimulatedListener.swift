import HTTPTypes
import Simulation
import Transport

/// A server that is up on a host: accepts connections, and runs a task on the host's node for each.
final class SimulatedListener: Listener, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    let endpoint: Endpoint
    var address: SocketAddress { endpoint.socketAddress }
    private unowned let host: SimulatedHost
    private let server: any Server
    private(set) var isOpen = true
    private var connections: [Int: Connection] = [:]
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// Which of the tasks answer requests.
    private var requests: Set<Int> = []
    private var stopping: [CheckedContinuation<Void, Never>] = []

    init(_ server: any Server, at endpoint: Endpoint, on host: SimulatedHost) {
        self.server = server
        self.endpoint = endpoint
        self.host = host
    }

    var isFull: Bool { connections.count >= host.network.timing.connectionsPerListener }

    /// Whether a connection would be accepted now.
    var accepts: Bool { isOpen && !isFull }

    func accept(_ connection: Connection) {
        connections[connection.number] = connection
        connection[.server].listener = self
    }

    func forget(_ connection: Connection) { connections[connection.number] = nil }

    /// The client is gone, and its request is answered for nothing; a WebSocket's session reads of it by itself.
    func broke(_ connection: Connection) {
        if requests.contains(connection.number) { tasks[connection.number]?.cancel() }
    }

    // MARK: Serving

    func serve(_ request: HTTPRequest, _ body: Segment.RequestBody, on connection: Connection) {
        guard isOpen, !connection[.server].isClosing, tasks[connection.number] == nil else {
            return connection.abort(.server)
        }
        if case .body = body { requests.insert(connection.number) }
        host.node.asCurrent {
            tasks[connection.number] = Task(name: "\(host.name) serves \(request.path ?? "")") { [self] in
                switch body {
                case .body(let length):
                    await ServedRequest(connection, request, length: length).answer(by: server)
                case .webSocket:
                    await ServedWebSocket(connection, request).run(by: server)
                }
                ended(connection.number)
            }
        }
    }

    private func ended(_ number: Int) {
        tasks[number] = nil
        requests.remove(number)
        if tasks.isEmpty { finishStopping() }
    }

    // MARK: Ending

    func stop() async {
        if isOpen {
            isOpen = false
            if host.listeners[address.port] === self { host.listeners[address.port] = nil }
            for (number, connection) in connections.sorted(by: { $0.key < $1.key }) {
                end(number, connection)
            }
        }
        if tasks.isEmpty { return }
        await withCheckedContinuation { stopping.append($0) }
    }

    private func end(_ number: Int, _ connection: Connection) {
        if let socket = connection[.server].handler as? WebSocketState {
            socket.close(WebSocketClose(code: 1001, reason: "server is stopping"))
        } else if connection[.server].isDiscarding {
            connection.close()
        } else {
            // Not yet answered to its end.
            connection.abort(.server)
        }
        tasks[number]?.cancel()
    }

    /// The node has crashed: nothing of it will run, and nobody needs to wait for it.
    func crashed() {
        isOpen = false
        connections = [:]
        tasks = [:]
        requests = []
        finishStopping()
    }

    private func finishStopping() {
        let waiting = stopping
        stopping = []
        for continuation in waiting { continuation.resume() }
    }
}
