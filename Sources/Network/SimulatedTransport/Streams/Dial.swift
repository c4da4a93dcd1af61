import Simulation
import Transport

/// One attempt to open a connection: a request that is repeated until it is answered, and the answer.
final class Dial: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private enum Answer {
        case connected(Connection)
        case failed(TransportError.Code, String)
    }

    private let client: SimulatedHost
    private let target: Target
    private let answered: Slot
    private let startedAt: Int64
    private var answer: Answer?
    private var isOver = false

    private var network: SimulatedNetwork { client.network }
    private var timing: StreamTiming { network.timing }
    private var forth: SimulatedLink { network.link(client, target.host) }
    private var back: SimulatedLink { network.link(target.host, client) }

    private init(_ client: SimulatedHost, _ target: Target) {
        self.client = client
        self.target = target
        answered = Slot(client)
        startedAt = client.network.now
    }

    /// Opens a connection.
    ///
    /// - Throws: `refused`, `timedOut`, `reset`, `cancelled`.
    static func connect(
        _ client: SimulatedHost,
        to target: Target,
        until deadline: Int64,
        operation: String
    ) async throws(TransportError) -> Connection {
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: operation, peer: target.peer, detail: detail, reach: .notSent)
        }
        if Task.isCancelled { throw failure(.cancelled) }
        guard client.node.isAlive else { throw failure(.closed, "the node \(client.name) has crashed") }
        client.guardLife()
        let dial = Dial(client, target)
        client.dials.append(dial.answered)
        dial.lookUp()
        let wake = await dial.answered.wait(until: deadline)
        dial.isOver = true
        client.dials.removeAll { $0 === dial.answered }
        switch (dial.answer, wake) {
        case (.connected(let connection)?, .ready): return connection
        case (.connected(let connection)?, _):
            connection.abort(.client)
            throw failure(wake == .cancelled ? .cancelled : .timedOut)
        case (.failed(let code, let detail)?, _): throw failure(code, detail)
        case (nil, .cancelled): throw failure(.cancelled)
        case (nil, .expired): throw failure(.timedOut, "no connection in time")
        case (nil, .ready): throw failure(.closed, "the node \(client.name) has crashed")
        }
    }

    // MARK: Steps, as events on the client's node

    private func lookUp() {
        let wait = timing.connectRetransmission.nanoseconds
        if target.host === client { return request(wait: wait) }
        switch network.lookUp(target.name) {
        case .found(after: 0): request(wait: wait)
        case .found(let delay): after(delay) { $0.request(wait: wait) }
        case .failed(let reason, let delay):
            after(delay) { dial in
                if !dial.isOver { dial.settle(.failed(.unreachable, reason)) }
            }
        }
    }

    private func request(wait: Int64) {
        guard !isOver else { return }
        let delay = forth.segmentDelay(bytes: 0, now: network.now, retransmission: wait, timing: timing)
        guard let delay else { return after(timing.connectTimeout.nanoseconds) { $0.giveUp() } }
        after(delay) { $0.arrive(wait: wait) }
    }

    private func arrive(wait: Int64) {
        guard !isOver else { return }
        if forth.isPartitioned || target.host.isSilent { return again(after: wait) }
        let listener = target.host.listeners[target.port]
        let life = target.host.node.crashes
        after(back.controlDelay()) { dial in
            guard !dial.isOver else { return }
            if dial.back.isPartitioned { return dial.again(after: wait) }
            dial.finish(with: listener, life: life)
        }
    }

    private func again(after wait: Int64) {
        if network.now + wait - startedAt >= timing.connectTimeout.nanoseconds {
            after(max(0, startedAt + timing.connectTimeout.nanoseconds - network.now)) { $0.giveUp() }
        } else {
            after(wait) { $0.request(wait: wait * 2) }
        }
    }

    private func finish(with listener: SimulatedListener?, life: Int) {
        if let listener, listener.accepts(loopback: target.isLoopback) {
            let connection = network.connect(client, target.host)
            listener.accept(connection)
            settle(.connected(connection))
        } else if let listener, target.host.node.crashes != life || listener.isFull {
            settle(.failed(.refused, listener.isFull ? "too many connections" : "the server has crashed"))
        } else {
            settle(.failed(.refused, "nobody listens on port \(target.port) of \(target.host.name)"))
        }
    }

    private func giveUp() {
        if !isOver { settle(.failed(.timedOut, "no answer to repeated attempts")) }
    }

    private func settle(_ answer: Answer) {
        isOver = true
        self.answer = answer
        answered.wake()
    }

    private func after(_ delay: Int64, _ step: @escaping @Sendable (Dial) -> Void) {
        client.schedule(at: network.now + delay) { step(self) }
    }
}
