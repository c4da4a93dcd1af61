import Simulation
import Transport

/// A datagram socket on a host of the simulated network.
final class SimulatedDatagramSocket: DatagramSocket, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private struct Membership: Hashable {
        var group: IPAddress
        var interface: String
    }

    /// Linux: `net.core.rmem_default`, which is also the most that a program may ask for.
    private static let defaultBuffer = 212_992
    /// What the system counts for an empty datagram's own needs, roughly.
    private static let overhead = 256
    /// Linux: `net.ipv4.ip_default_ttl`.
    private static let defaultTimeToLive = 64

    let localAddress: Endpoint
    private let options: DatagramOptions
    private let bufferBytes: Int
    private unowned let host: SimulatedHost
    private let reader: Slot
    private var inbox = Ring<Datagram>()
    private var buffered = 0
    private var memberships: Set<Membership> = []
    private var isOpen = true

    init(_ endpoint: Endpoint, _ options: DatagramOptions, on host: SimulatedHost) {
        localAddress = endpoint
        self.options = options
        self.host = host
        bufferBytes = min(max(options.receiveBufferBytes ?? Self.defaultBuffer, 2048), Self.defaultBuffer)
        reader = Slot(host)
    }

    /// Whether a socket with these options cannot be bound to the same port.
    func excludes(_ address: IPAddress, _ other: DatagramOptions) -> Bool {
        if options.sharesPort && other.sharesPort { return false }
        let own = localAddress.address
        return own.takes(address) || address.takes(own)
    }

    // MARK: Sending

    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        if let endpoint = destination.endpoint { return try await send(bytes, to: endpoint) }
        guard isOpen else { throw failure(.closed, "send datagram") }
        let found = try await host.resolve(destination)
        let version = localAddress.address.version
        let fitting = found.first { version == .v6 || $0.address.version == .v4 }
        guard let fitting else {
            throw failure(.unreachable, "send datagram", "no address of the socket's version")
        }
        try await send(bytes, to: fitting)
    }

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: "send datagram", peer: "\(destination)", detail: detail)
        }
        if Task.isCancelled { throw failure(.cancelled) }
        guard isOpen else { throw failure(.closed) }
        guard bytes.count <= Datagram.mostBytes else { throw failure(.tooLarge, "\(bytes.count) bytes") }
        guard (1...65535).contains(destination.port) else { throw failure(.unreachable, "a port is 1…65535") }
        let target = Endpoint(destination.address.unmapped, port: destination.port)
        guard localAddress.address.version == .v6 || target.address.version == .v4 else {
            throw failure(.unreachable, "an IPv4 socket sends to IPv4 addresses")
        }
        if target.address.isMulticast { return try sendToGroup(bytes, target, failure) }
        if host.active.contains(where: { $0.subnet.isBroadcast(target.address) })
            || target.address.isLimitedBroadcast
        {
            return try broadcast(bytes, target, failure)
        }
        try sendToHost(bytes, target, failure)
    }

    private func sendToHost(
        _ bytes: [UInt8],
        _ target: Endpoint,
        _ failure: (TransportError.Code, String) -> TransportError
    ) throws(TransportError) {
        // 0.0.0.0 as a destination is the host itself, on Linux.
        var target = target
        if target.address.isUnspecified {
            target.address = target.address.version == .v4 ? .loopbackV4 : .loopbackV6
        }
        let isToItself = host.holds(target.address)
        let route = isToItself ? nil : host.source(for: target.address)
        guard isToItself || route != nil else { throw failure(.unreachable, "no route") }
        let source =
            localAddress.address.isUnspecified ? route?.address ?? target.address : localAddress.address
        guard host.holds(source), isToItself || !source.isLoopback else {
            throw failure(.unreachable, "no route from \(source)")
        }
        let packet = packet(bytes, from: source, to: target, Self.defaultTimeToLive)
        host.network.deliver(packet, from: host, through: route?.interface)
    }

    private func broadcast(
        _ bytes: [UInt8],
        _ target: Endpoint,
        _ failure: (TransportError.Code, String) -> TransportError
    ) throws(TransportError) {
        guard options.allowsBroadcast else {
            throw failure(.addressUnavailable, "the socket is not allowed to broadcast")
        }
        let directed = host.active.first {
            $0.subnet.isBroadcast(target.address) && !target.address.isLimitedBroadcast
        }
        guard let interface = directed ?? multicastInterface(boundInterface, .v4),
            let source = source(on: interface, .v4)
        else { throw failure(.unreachable, "no route") }
        let packet = packet(bytes, from: source, to: target, Self.defaultTimeToLive)
        host.network.spread(packet, from: host, through: interface) { host, _ in
            (host.sockets[target.port] ?? []).filter { $0.hears(broadcast: target.address) }
        }
    }

    private func sendToGroup(
        _ bytes: [UInt8],
        _ target: Endpoint,
        _ failure: (TransportError.Code, String) -> TransportError
    ) throws(TransportError) {
        let name = target.address.zone ?? options.multicastInterface ?? boundInterface
        let interface = multicastInterface(name, target.address.version)
        let isLoopback = name == SimulatedInterface.loopbackName
        let source: IPAddress? =
            if let interface {
                source(on: interface, target.address.version)
            } else {
                target.address.version == .v4 ? .loopbackV4 : .loopbackV6
            }
        guard isLoopback || interface != nil, let source else { throw failure(.unreachable, "no route") }
        let group = target.address.inZone(nil)
        let packet = packet(bytes, from: source, to: Endpoint(group, port: target.port), 1)
        host.network.spread(packet, from: host, through: isLoopback ? nil : interface) { host, name in
            (host.sockets[target.port] ?? []).filter { $0.hears(group: group, on: name) }
        }
    }

    private func packet(_ bytes: [UInt8], from source: IPAddress, to target: Endpoint, _ ttl: Int) -> Packet {
        Packet(
            bytes: bytes,
            source: Endpoint(source, port: localAddress.port),
            destination: target,
            timeToLive: options.timeToLive ?? ttl
        )
    }

    /// The address from which something leaves by an interface; `nil` when the socket's own is another's.
    private func source(on interface: SimulatedInterface, _ version: IPAddress.Version) -> IPAddress? {
        let own = localAddress.address
        if own.isUnspecified || own.isMulticast || interface.subnet.isBroadcast(own) {
            return interface.address(version)
        }
        return host.holds(own) ? own : nil
    }

    // MARK: Groups

    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        memberships.insert(try membership("join multicast group", group, interface))
    }

    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        let membership = try membership("leave multicast group", group, interface)
        if memberships.remove(membership) == nil {
            throw failure(.addressUnavailable, "leave multicast group", "\(group) was not joined")
        }
    }

    private func membership(
        _ operation: String,
        _ group: IPAddress,
        _ interface: String?
    ) throws(TransportError) -> Membership {
        guard isOpen else { throw failure(.closed, operation) }
        guard group.isMulticast else {
            throw failure(.addressUnavailable, operation, "\(group) is not a multicast address")
        }
        let name = interface ?? group.zone ?? options.multicastInterface ?? boundInterface
        if name == SimulatedInterface.loopbackName {
            return Membership(group: group.inZone(nil), interface: SimulatedInterface.loopbackName)
        }
        guard let found = multicastInterface(name, group.version) else {
            throw failure(
                .addressUnavailable,
                operation,
                "no such interface: \(name ?? "none has an address")"
            )
        }
        return Membership(group: group.inZone(nil), interface: found.name)
    }

    /// The interface of the address to which the socket is bound, if it is bound to one.
    private var boundInterface: String? { host.interfaceName(of: localAddress.address) }

    private func multicastInterface(_ name: String?, _ version: IPAddress.Version) -> SimulatedInterface? {
        host.active.first { ($0.name == name || name == nil) && $0.address(version) != nil }
    }

    func hears(group: IPAddress, on interface: String) -> Bool {
        guard memberships.contains(Membership(group: group, interface: interface)) else { return false }
        return localAddress.address.takes(group)
    }

    private func hears(broadcast address: IPAddress) -> Bool { localAddress.address.takes(address) }

    // MARK: Receiving

    /// Returns whether there was room.
    func accept(_ packet: Packet, interface: String?) -> Bool {
        let count = packet.bytes.count
        guard isOpen, buffered + count + Self.overhead <= bufferBytes else { return false }
        buffered += count + Self.overhead
        inbox.append(
            Datagram(
                bytes: packet.bytes,
                source: packet.source,
                destination: packet.destination.address,
                interface: interface
            )
        )
        reader.wake()
        return true
    }

    func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
        precondition(count > 0, "at least one datagram is received")
        while true {
            if Task.isCancelled { throw failure(.cancelled, "receive datagram") }
            guard isOpen else { throw failure(.closed, "receive datagram") }
            var received: [Datagram] = []
            while received.count < count, let datagram = inbox.popFirst() {
                buffered -= datagram.bytes.count + Self.overhead
                received.append(datagram)
            }
            if !received.isEmpty { return received }
            _ = await reader.wait()
        }
    }

    // MARK: The end

    func close() async {
        host.forget(self)
        end()
    }

    /// Ends it without its host, which has forgotten it.
    func end() {
        guard isOpen else { return }
        isOpen = false
        memberships = []
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
