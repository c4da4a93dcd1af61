import Simulation
import Transport

/// One attempt to open a connection: a request that is repeated until it is answered, and the answer.
///
/// All addresses of a name are tried at once, and the first at which somebody listens is taken: what RFC 8305 comes to
/// where all of them lie on the same link.
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

    /// To which the client has a route.
    private var addresses: [IPAddress] = []

    /// What a request reaches.
    private struct Reached {
        let host: SimulatedHost
        /// As the client has dialled it, and as the host has it itself, which a NAT makes different.
        let dialled: IPAddress
        let endpoint: Endpoint
    }

    private var network: SimulatedNetwork { client.network }
    private var timing: StreamTiming { network.timing }

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
        dial.lookUp()
        // What the host knows by itself is known at once.
        let wake = dial.isOver ? .ready : await client.wait(at: dial.answered, until: deadline)
        dial.isOver = true
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
        if let known = target.addresses { return begin(known) }
        guard !client.active.isEmpty else { return settle(.failed(.unreachable, "the host is off line")) }
        switch network.lookUp(target.name) {
        case .found(let found, after: 0): begin(found)
        case .found(let found, let delay): after(delay) { $0.begin(found) }
        case .failed(let reason, let delay):
            after(delay) { dial in
                if !dial.isOver { dial.settle(.failed(.unreachable, reason)) }
            }
        }
    }

    private func begin(_ found: [IPAddress]) {
        guard !isOver else { return }
        addresses = found.filter { client.holds($0) || client.source(for: $0) != nil }
        if addresses.isEmpty { return settle(.failed(.unreachable, "no route to \(target.name)")) }
        request(wait: timing.connectRetransmission.nanoseconds)
    }

    private func request(wait: Int64) {
        guard !isOver else { return }
        guard let reached = reach() else { return again(after: wait) }
        let forth = network.link(client, reached.host)
        let delay = forth.segmentDelay(bytes: 0, now: network.now, retransmission: wait, timing: timing)
        guard let delay else { return after(timing.connectTimeout.nanoseconds) { $0.giveUp() } }
        after(delay) { $0.arrive(wait: wait) }
    }

    /// The host that has one of the addresses, if possible one at which somebody listens.
    private func reach() -> Reached? {
        let all = addresses.compactMap { address in
            network.streamTarget(Endpoint(address, port: target.port), from: client).map { host, endpoint in
                Reached(host: host, dialled: address, endpoint: endpoint)
            }
        }
        return all.first { listener(of: $0) != nil } ?? all.first
    }

    private func listener(of reached: Reached) -> SimulatedListener? {
        guard let listener = reached.host.listeners[reached.endpoint.port],
            listener.endpoint.address.takes(reached.endpoint.address)
        else { return nil }
        return listener
    }

    private func arrive(wait: Int64) {
        guard !isOver else { return }
        guard let reached = reach(), !reached.host.isSilent else { return again(after: wait) }
        if network.link(client, reached.host).isPartitioned { return again(after: wait) }
        let listener = listener(of: reached)
        let life = reached.host.node.crashes
        let back = network.link(reached.host, client)
        after(back.controlDelay()) { dial in
            guard !dial.isOver else { return }
            if back.isPartitioned { return dial.again(after: wait) }
            dial.finish(reached, listener, life: life)
        }
    }

    private func again(after wait: Int64) {
        if network.now + wait - startedAt >= timing.connectTimeout.nanoseconds {
            after(max(0, startedAt + timing.connectTimeout.nanoseconds - network.now)) { $0.giveUp() }
        } else {
            after(wait) { $0.request(wait: wait * 2) }
        }
    }

    private func finish(_ reached: Reached, _ listener: SimulatedListener?, life: Int) {
        let host = reached.host
        if let listener, listener.accepts {
            let connection = network.connect(client, host)
            connection.addresses = (sourceAddress(for: reached), reached.endpoint.address)
            connection.passage = router(to: reached).map { StreamPassage($0, now: network.now) }
            listener.accept(connection)
            settle(.connected(connection))
        } else if let listener, host.node.crashes != life || listener.isFull {
            settle(.failed(.refused, listener.isFull ? "too many connections" : "the server has crashed"))
        } else {
            settle(.failed(.refused, "nobody listens on port \(reached.endpoint.port) of \(host.name)"))
        }
    }

    /// The NAT through which a connection leaves the client's subnet.
    private func router(to reached: Reached) -> SimulatedNAT? {
        guard !client.holds(reached.dialled), reached.dialled.version == .v4,
            let subnet = client.source(for: reached.dialled)?.interface.subnet,
            !subnet.contains(reached.dialled)
        else { return nil }
        return subnet.nat
    }

    private func sourceAddress(for reached: Reached) -> IPAddress {
        if reached.host === client { return reached.dialled }
        return client.source(for: reached.dialled)?.address ?? reached.dialled
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
