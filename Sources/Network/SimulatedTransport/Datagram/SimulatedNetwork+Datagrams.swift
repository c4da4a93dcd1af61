import Simulation
import Transport

extension SimulatedNetwork {
    /// What a router between two subnets costs.
    private static let routerHops = 2

    // MARK: To one host

    /// Sends a packet to the host that has its destination.
    ///
    /// - Parameters:
    ///   - packet: From an address of the sender.
    ///   - sender: The host.
    ///   - interface: Where it leaves; `nil` for one to the sender itself.
    func deliver(_ packet: Packet, from sender: SimulatedHost, through interface: SimulatedInterface?) {
        var packet = packet
        let address = packet.destination.address
        guard let interface, !sender.holds(address) else { return transmit(packet, sender, sender) { $0 } }
        let isNear = interface.subnet.contains(address)
        guard isNear || packet.timeToLive >= Self.routerHops else {
            return lose(packet, sender, "time to live")
        }
        if !isNear, let nat = interface.subnet.nat, address.version == .v4 {
            guard let source = nat.translate(packet.source, to: packet.destination, now: now) else {
                return lose(packet, sender, "no public port is free")
            }
            packet.source = source
        }
        if let nat = nat(at: address) {
            deliver(packet, from: sender, to: nat, isHairpin: interface.subnet.nat === nat)
        } else if let target = host(at: address, from: sender) {
            transmit(packet, sender, target) { $0 }
        } else {
            lose(packet, sender, "no host has \(address)")
        }
    }

    private func deliver(
        _ packet: Packet,
        from sender: SimulatedHost,
        to nat: SimulatedNAT,
        isHairpin: Bool
    ) {
        guard !isHairpin || nat.behaviour.isHairpinning else { return lose(packet, sender, "no hairpin") }
        let port = packet.destination.port
        guard let inside = nat.inside(of: port, now: now),
            let subnet = subnets.first(where: { $0.nat === nat }),
            let target = subnet.owner(of: inside.address)
        else { return lose(packet, sender, "no mapping for port \(port)") }
        transmit(packet, sender, target) { [unowned self] packet in
            // What the router has forgotten meanwhile does not get in.
            guard let inside = nat.admit(to: port, from: packet.source, now: now) else { return nil }
            var packet = packet
            packet.destination = inside
            return packet
        }
    }

    private func transmit(
        _ packet: Packet,
        _ sender: SimulatedHost,
        _ target: SimulatedHost,
        _ translate: @escaping @Sendable (Packet) -> Packet?
    ) {
        transmit(packet, sender, target) { link in
            guard let packet = translate(packet), let socket = target.socket(for: packet.destination),
                target.holds(packet.destination.address)
            else { return false }
            let interface = target.interfaceName(of: packet.destination.address)
            return socket.accept(packet, interface: interface)
        }
    }

    // MARK: To several sockets

    /// Sends a packet to all hosts of a subnet, or to the sender alone when it leaves by loopback.
    func spread(
        _ packet: Packet,
        from sender: SimulatedHost,
        through interface: SimulatedInterface?,
        to sockets: @escaping @Sendable (SimulatedHost, _ interface: String) -> [SimulatedDatagramSocket]
    ) {
        for target in interface?.subnet.hosts ?? [sender] {
            let name: String
            if let interface {
                guard let found = target.attached.first(where: { $0.subnet === interface.subnet }) else {
                    continue
                }
                name = found.name
            } else {
                name = SimulatedInterface.loopbackName
            }
            // A host where nobody listens costs nothing.
            guard !sockets(target, name).isEmpty else { continue }
            transmit(packet, sender, target) { _ in
                guard interface == nil || target.active.contains(where: { $0.name == name }) else {
                    return false
                }
                let accepted = sockets(target, name).filter { $0.accept(packet, interface: name) }
                return !accepted.isEmpty
            }
        }
    }

    // MARK: On a link

    private func transmit(
        _ packet: Packet,
        _ sender: SimulatedHost,
        _ target: SimulatedHost,
        _ arrive: @escaping @Sendable (SimulatedLink) -> Bool
    ) {
        let link = link(sender, target)
        let count = packet.bytes.count
        link.statistics.messages += 1
        link.statistics.bytes += count
        let version = packet.source.address.version
        let fragments =
            sender === target ? 1 : link.conditions.fragments(payload: count, version: version)
        let now = now
        let delays = link.datagramDelays(bytes: count, fragments: fragments, now: now)
        guard !delays.isEmpty, target.node.isAlive else { return link.lose(count) }
        for delay in delays {
            target.schedule(at: now + delay) {
                guard !link.isPartitioned, arrive(link) else { return link.lose(count) }
                link.noteArrival("datagram", bytes: count, age: delay)
            }
        }
    }

    private func lose(_ packet: Packet, _ sender: SimulatedHost, _ reason: String) {
        strayDatagrams += 1
        simulation.note("fault", "lost datagram \(packet.bytes.count) \(sender.name): \(reason)")
    }
}

extension SimulatedLink {
    fileprivate func lose(_ bytes: Int) {
        statistics.lostDatagrams += 1
        noteFault("lost datagram \(bytes)")
    }
}

extension SimulatedHost {
    /// The socket that gets what is sent to one endpoint: the one bound to that very address, the last of several.
    func socket(for destination: Endpoint) -> SimulatedDatagramSocket? {
        let open = sockets[destination.port]?.reversed() ?? []
        return open.first { $0.localAddress.address == destination.address }
            ?? open.first { $0.localAddress.address.takes(destination.address) }
    }

    func interfaceName(of address: IPAddress) -> String? {
        if address.isLoopback { return SimulatedInterface.loopbackName }
        return active.first { $0.addresses.contains(address) }?.name
    }
}
