import Simulation
public import Transport

extension SimulatedNetwork {
    /// Makes a further subnet.
    ///
    /// All subnets are routed to each other, except that hosts behind a NAT are reached from outside only as it lets them be; two
    /// subnets behind NATs may have the same addresses.
    ///
    /// - Parameters:
    ///   - name: What people call it.
    ///   - prefixes: Its addresses, such as `192.168.1.0/24`, of either version or both.
    ///   - nat: How the router to the rest of the network translates IPv4 addresses; `nil` for one that does not.
    public func subnet(
        _ name: String,
        _ prefixes: IPSubnet...,
        behind nat: NATBehaviour? = nil
    ) -> SimulatedSubnet {
        let router = nat.map { SimulatedNAT(publicAddress: nextPublicAddress(), behaviour: $0) }
        let subnet = SimulatedSubnet(name: name, prefixes: prefixes, nat: router)
        subnets.append(subnet)
        return subnet
    }

    /// RFC 2544's range, which no real network has.
    private func nextPublicAddress() -> IPAddress {
        let number = subnets.count { $0.nat != nil } + 1
        return IPAddress(198, 18, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }

    /// The router that has an address as its public one.
    func nat(at address: IPAddress) -> SimulatedNAT? {
        subnets.lazy.compactMap(\.nat).first { $0.publicAddress == address }
    }

    /// The host that has an address, as seen from another one; `nil` when nothing gets there.
    func host(at address: IPAddress, from host: SimulatedHost) -> SimulatedHost? {
        if host.holds(address) { return host }
        for interface in host.active {
            if let owner = interface.subnet.owner(of: address), owner.holds(address) { return owner }
        }
        for subnet in subnets where subnet.nat == nil || address.version == .v6 {
            if let owner = subnet.owner(of: address), owner.holds(address) { return owner }
        }
        return nil
    }

    /// Where a stream to an endpoint ends: a host that has the address, or one behind a NAT that forwards the port.
    func streamTarget(_ endpoint: Endpoint, from host: SimulatedHost) -> (host: SimulatedHost, Endpoint)? {
        if let found = self.host(at: endpoint.address, from: host) { return (found, endpoint) }
        guard let inside = nat(at: endpoint.address)?.forwarded(endpoint.port) else { return nil }
        let router = subnets.first { $0.nat?.publicAddress == endpoint.address }
        guard let owner = router?.owner(of: inside.address), owner.holds(inside.address) else { return nil }
        return (owner, inside)
    }
}
