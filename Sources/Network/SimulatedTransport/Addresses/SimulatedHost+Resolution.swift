import Simulation
public import Transport

extension SimulatedHost {
    /// Finds the addresses of a host as the network's name service knows them now; see `DatagramNetwork`.
    ///
    /// - Parameter address: A literal address, a name of this host, or one that is looked up.
    /// - Throws: `unreachable`, `closed` when the node has crashed, `cancelled`.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: "resolve name", peer: "\(address)", detail: detail)
        }
        if Task.isCancelled { throw failure(.cancelled) }
        guard (0...65535).contains(address.port) else { throw failure(.unreachable, "a port is 0…65535") }
        if let own = ownAddresses(address.host), !own.isEmpty {
            return own.map { Endpoint($0, port: address.port) }
        }
        guard network.knows(address.host) else {
            throw failure(.unreachable, "no host is called \(address.host)")
        }
        guard !active.isEmpty else { throw failure(.unreachable, "the host is off line") }
        switch network.lookUp(address.host) {
        case .found(let addresses, let delay):
            guard await wait(delay) else { throw failure(node.isAlive ? .cancelled : .closed) }
            return addresses.map { Endpoint($0, port: address.port) }
        case .failed(let reason, let delay):
            guard await wait(delay) else { throw failure(node.isAlive ? .cancelled : .closed) }
            throw failure(.unreachable, reason)
        }
    }

    /// Lets time pass on the host's node; returns whether the calling task may go on.
    private func wait(_ delay: Int64) async -> Bool {
        guard delay > 0 else { return true }
        let slot = Slot(self)
        guardLife()
        let wake = await self.wait(at: slot, until: network.deadline(after: delay))
        return wake == .expired && node.isAlive
    }
}
