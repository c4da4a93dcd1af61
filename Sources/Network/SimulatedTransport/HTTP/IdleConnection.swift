import Simulation
import Transport

/// Watches a connection on its client's side while no request uses it.
final class IdleConnection: SegmentHandler, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    // The connection owns its handler.
    private unowned let connection: Connection
    private let origin: KeptConnections.Origin
    /// Whether the end of the last answer's body is still on its way; a client does not wait for it where the body is empty.
    private(set) var awaitsBodyEnd: Bool

    private init(_ connection: Connection, _ origin: KeptConnections.Origin, awaitsBodyEnd: Bool) {
        self.connection = connection
        self.origin = origin
        self.awaitsBodyEnd = awaitsBodyEnd
    }

    private var host: SimulatedHost { connection[.client].host }

    /// Keeps a connection whose last request is answered, or closes it when it is of no further use.
    ///
    /// - Parameter awaitsBodyEnd: Whether the end of the answer's body has not been read.
    static func keep(_ connection: Connection, _ origin: KeptConnections.Origin, awaitsBodyEnd: Bool) {
        let end = connection[.client]
        guard !end.isGone else { return }
        let idle = IdleConnection(connection, origin, awaitsBodyEnd: awaitsBodyEnd)
        while let segment = connection.take(at: .client) {
            _ = idle.handle(segment)
            // What nobody had asked for has ended the connection.
            if end.isGone { return }
        }
        guard !end.hasEnded, end.host.node.isAlive, end.host.kept.hasRoom(origin) else { return idle.close() }
        end.handler = idle
        end.host.kept.add(connection.number, origin)
        let time = connection.network.deadline(after: connection.timing.clientIdleTimeout.nanoseconds)
        end.host.schedule(at: time) { [weak idle] in idle?.expire() }
    }

    /// Takes a kept connection of an origin into use.
    ///
    /// - Returns: The connection, and whether the end of the last answer's body will come before the next answer.
    static func take(
        of host: SimulatedHost,
        _ origin: KeptConnections.Origin
    ) -> (connection: Connection, awaitsBodyEnd: Bool)? {
        while let number = host.kept.take(origin) {
            guard let connection = host.network.connection(number),
                let idle = connection[.client].handler as? IdleConnection
            else { continue }
            connection[.client].handler = nil
            return (connection, idle.awaitsBodyEnd)
        }
        return nil
    }

    // MARK: What comes meanwhile

    func handle(_ segment: Segment) -> Bool {
        if case .bodyEnd = segment, awaitsBodyEnd {
            awaitsBodyEnd = false
        } else {
            // Nobody has asked for anything.
            host.kept.remove(connection.number, origin)
            connection.abort(.client)
        }
        return true
    }

    /// The server has closed or broken the connection.
    func ended() {
        host.kept.remove(connection.number, origin)
        close()
    }

    private func expire() {
        guard connection[.client].handler === self else { return }
        ended()
    }

    private func close() {
        connection.sendControl(.end, from: .client)
        connection.retire(.client)
    }
}
