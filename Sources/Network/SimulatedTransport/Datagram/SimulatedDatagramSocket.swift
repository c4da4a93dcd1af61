import Simulation
import Transport

/// A datagram socket on a host of the simulated network.
///
/// Datagrams that nobody reads are kept up to a limit, past which new ones are lost, as in a system's buffer.
final class SimulatedDatagramSocket: DatagramSocket, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private struct Datagram {
        var bytes: [UInt8]
        var source: SocketAddress
    }

    /// What UDP over IPv4 can carry: 65,535 less two headers of 20 and 8 bytes.
    private static let largest = 65_507
    /// Linux: `net.core.rmem_default`.
    private static let bufferBytes = 212_992
    /// What the system counts for an empty datagram's own needs, roughly.
    private static let overhead = 256

    let localAddress: SocketAddress
    private unowned let host: SimulatedHost
    private let reader: Slot
    private var inbox = Ring<Datagram>()
    private var buffered = 0
    private var groups: Set<String> = []
    private var isOpen = true

    init(_ address: SocketAddress, on host: SimulatedHost) {
        localAddress = address
        self.host = host
        reader = Slot(host)
    }

    // MARK: Sending

    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: "send datagram", peer: "\(destination)", detail: detail)
        }
        if Task.isCancelled { throw failure(.cancelled) }
        guard isOpen else { throw failure(.closed) }
        guard bytes.count <= Self.largest else { throw failure(.tooLarge, "\(bytes.count) bytes") }
        guard (1...65535).contains(destination.port) else { throw failure(.unreachable, "a port is 1…65535") }
        if MulticastGroups.isGroup(destination.host) {
            for member in host.network.groups.members(of: destination.host, port: destination.port) {
                transmit(bytes, to: member.host) { [weak member] in member }
            }
            return
        }
        guard let target = host.resolve(destination.host) else {
            throw failure(.unreachable, "no host is called \(destination.host)")
        }
        if target !== host, case .failed(let reason, _) = host.network.lookUp(destination.host) {
            throw failure(.unreachable, reason)
        }
        let isLoopback = SimulatedHost.isLoopback(destination.host)
        transmit(bytes, to: target) { [unowned target] in
            let socket = target.sockets[destination.port]
            return socket?.isReached(byLoopback: isLoopback) == true ? socket : nil
        }
    }

    private func isReached(byLoopback: Bool) -> Bool {
        byLoopback || !SimulatedHost.isLoopback(localAddress.host)
    }

    private func transmit(
        _ bytes: [UInt8],
        to target: SimulatedHost,
        _ socket: @escaping @Sendable () -> SimulatedDatagramSocket?
    ) {
        let (network, source) = (host.network, localAddress)
        let link = network.link(host, target)
        link.statistics.messages += 1
        link.statistics.bytes += bytes.count
        let now = network.now
        let delays = link.datagramDelays(bytes: bytes.count, now: now)
        guard !delays.isEmpty, target.node.isAlive else { return Self.lose(bytes, on: link) }
        for delay in delays {
            target.schedule(at: now + delay) {
                guard !link.isPartitioned, let socket = socket(), socket.accept(bytes, from: source) else {
                    return Self.lose(bytes, on: link)
                }
                link.noteArrival("datagram", bytes: bytes.count, age: delay)
            }
        }
    }

    private static func lose(_ bytes: [UInt8], on link: SimulatedLink) {
        link.statistics.lostDatagrams += 1
        link.noteFault("lost datagram \(bytes.count)")
    }

    // MARK: Receiving

    /// Returns whether there was room.
    private func accept(_ bytes: [UInt8], from source: SocketAddress) -> Bool {
        guard isOpen, buffered + bytes.count + Self.overhead <= Self.bufferBytes else { return false }
        buffered += bytes.count + Self.overhead
        inbox.append(Datagram(bytes: bytes, source: source))
        reader.wake()
        return true
    }

    func receive() async throws(TransportError) -> (bytes: [UInt8], source: SocketAddress) {
        while true {
            if Task.isCancelled { throw failure(.cancelled, "receive datagram") }
            guard isOpen else { throw failure(.closed, "receive datagram") }
            if let datagram = inbox.popFirst() {
                buffered -= datagram.bytes.count + Self.overhead
                return (datagram.bytes, datagram.source)
            }
            _ = await reader.wait()
        }
    }

    // MARK: Groups and the end

    func join(group: String) async throws(TransportError) {
        guard isOpen else { throw failure(.closed, "join \(group)") }
        guard MulticastGroups.isGroup(group) else {
            throw failure(.addressUnavailable, "join \(group)", "not a multicast address")
        }
        groups.insert(group)
        host.network.groups.join(self, group: group)
    }

    func close() async {
        if host.sockets[localAddress.port] === self { host.sockets[localAddress.port] = nil }
        end()
    }

    /// Ends it without its host, which has forgotten it.
    func end() {
        guard isOpen else { return }
        isOpen = false
        host.network.groups.leave(self, groups: groups)
        inbox.removeAll()
        reader.wake()
    }

    private func failure(
        _ code: TransportError.Code,
        _ operation: String,
        _ detail: String = ""
    ) -> TransportError {
        TransportError(code, operation: operation, peer: "\(localAddress)", detail: detail)
    }
}
