import Simulation
public import Transport

/// What a host does with its connections when the address that they use goes away.
public enum LostAddress: Sendable, Hashable {
    /// Nothing: they stall, go on if the address comes back, and break after the user timeout, as on Linux.
    case leavesConnections
    /// It breaks them at once, and cannot say so to the other side, as Android and iOS do.
    case breaksConnections
}

extension SimulatedHost {
    /// The host's addresses that others can reach now, by interface; none in airplane mode.
    public var addresses: [IPAddress] { active.flatMap(\.addresses) }

    /// Whether any interface works, apart from loopback.
    ///
    /// It says nothing of others: a link that loses everything, or a peer that is gone, is not seen here, as outside.
    public var isConnected: Bool { !active.isEmpty }

    /// Adds a closure that is called whenever ``isConnected`` has changed, for as long as the host exists.
    ///
    /// - Parameter body: Receives the new value, on the thread of the simulation; it must not wait.
    public func onConnectionChange(_ body: @escaping @Sendable (Bool) -> Void) {
        if connectionWatchers.isEmpty { reportedConnection = isConnected }
        connectionWatchers.append(body)
    }

    // MARK: Changes

    /// Connects an interface to a subnet.
    ///
    /// - Parameters:
    ///   - interface: Its name, such as `wlan0`; an interface of that name is disconnected first.
    ///   - subnet: Where it is connected.
    ///   - addresses: Addresses of the subnet; none for the next ones that nobody has.
    public func attach(_ interface: String, to subnet: SimulatedSubnet, addresses: [IPAddress] = []) {
        precondition(interface != SimulatedInterface.loopbackName, "the loopback interface is there already")
        if attached.contains(where: { $0.name == interface }) { detach(interface) }
        let addresses = addresses.isEmpty ? subnet.draw() : addresses
        subnet.claim(addresses, for: self)
        attached.append(
            SimulatedInterface(name: interface, index: nextInterface, subnet: subnet, addresses: addresses)
        )
        nextInterface += 1
        addressesChanged()
    }

    /// Disconnects an interface, as when Wi-Fi is out of reach; its addresses are free for others.
    public func detach(_ interface: String, _ effect: LostAddress = .leavesConnections) {
        guard let index = attached.firstIndex(where: { $0.name == interface }) else {
            preconditionFailure("\(name) has no interface called “\(interface)”")
        }
        let lost = attached.remove(at: index)
        lost.subnet.release(lost.addresses)
        addressesChanged()
        network.simulation.note("fault", "detach \(name) \(interface)")
        if effect == .breaksConnections { breakConnectionsWithoutAddress() }
    }

    /// Changes the host's only way to the network, as from Wi-Fi to cellular: its address changes.
    ///
    /// Its name leads to the new address at once. What the new way is like is said by the conditions of its links.
    ///
    /// - Parameters:
    ///   - subnet: Where the host is from now on.
    ///   - interface: The name of the new interface, which replaces all others.
    ///   - addresses: Addresses of the subnet; none for the next ones that nobody has.
    ///   - effect: What becomes of open connections.
    public func move(
        to subnet: SimulatedSubnet,
        interface: String,
        addresses: [IPAddress] = [],
        _ effect: LostAddress = .leavesConnections
    ) {
        for old in attached { detach(old.name) }
        attach(interface, to: subnet, addresses: addresses)
        if effect == .breaksConnections { breakConnectionsWithoutAddress() }
    }

    /// Disconnects all interfaces for a while; they come back with the same addresses.
    ///
    /// The host still reaches itself.
    public func setAirplaneMode(_ isOn: Bool, _ effect: LostAddress = .leavesConnections) {
        guard isOn != isInAirplaneMode else { return }
        isInAirplaneMode = isOn
        addressesChanged()
        network.simulation.note("fault", "airplane mode \(isOn ? "on" : "off") \(name)")
        if effect == .breaksConnections { breakConnectionsWithoutAddress() }
    }

    private func addressesChanged() {
        network.addressChanges += 1
        guard isConnected != reportedConnection else { return }
        reportedConnection = isConnected
        for watcher in connectionWatchers { watcher(isConnected) }
    }

    private func breakConnectionsWithoutAddress() {
        for connection in network.openConnections {
            for side in [Side.client, .server]
            where connection[side].host === self && !holds(connection.address(of: side)) {
                connection.end(side, .reset, "the network has changed")
            }
        }
    }

    // MARK: Questions

    /// Interfaces that work now, without loopback.
    var active: [SimulatedInterface] { isInAirplaneMode ? [] : attached }

    /// Whether what is sent to an address arrives at this host, once it is here.
    func holds(_ address: IPAddress) -> Bool {
        address.isLoopback || active.contains { $0.addresses.contains(address) }
    }

    /// The interface and the address from which something to this destination is sent; `nil` without a route.
    func source(for destination: IPAddress) -> (interface: SimulatedInterface, address: IPAddress)? {
        let near = active.first { $0.subnet.contains(destination) && $0.address(destination.version) != nil }
        guard let interface = near ?? active.first(where: { $0.address(destination.version) != nil }),
            let address = interface.address(destination.version)
        else { return nil }
        return (interface, address)
    }

    /// The interfaces of the host, as programs on it see them.
    ///
    /// - Throws: Nothing; other networks throw `unreachable`.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        [Self.loopback] + active.map(\.description)
    }

    private static let loopback = NetworkInterface(
        name: SimulatedInterface.loopbackName,
        index: 1,
        addresses: [(IPAddress.loopbackV4, 8), (.loopbackV6, 128)].compactMap { address, length in
            IPSubnet(address, prefixLength: length).map { NetworkInterface.Address(address, in: $0) }
        }
    )
}
