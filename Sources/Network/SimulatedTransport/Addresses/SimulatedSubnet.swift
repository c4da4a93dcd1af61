import Simulation
public import Transport

/// Hosts of a simulated network that reach each other without a router: by broadcast and multicast too.
public final class SimulatedSubnet: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// What people call it.
    public let name: String
    /// Its addresses, of either version or both.
    public let prefixes: [IPSubnet]
    /// The router to the rest of the network, when the subnet's addresses are private.
    public let nat: SimulatedNAT?

    // The network holds its hosts, and they their subnets.
    private struct Owner { unowned let host: SimulatedHost }
    private var owners: [IPAddress: Owner] = [:]
    private var nextOffset = 1

    init(name: String, prefixes: [IPSubnet], nat: SimulatedNAT?) {
        precondition(!prefixes.isEmpty, "a subnet has addresses")
        self.name = name
        self.prefixes = prefixes
        self.nat = nat
    }

    /// Whether an address lies in it.
    public func contains(_ address: IPAddress) -> Bool { prefixes.contains { $0.contains(address) } }

    /// Whether a datagram to this address is for all hosts of the subnet.
    func isBroadcast(_ address: IPAddress) -> Bool {
        address.isLimitedBroadcast || prefixes.contains { $0.broadcast == address }
    }

    /// Who has an address, reachable or not.
    func owner(of address: IPAddress) -> SimulatedHost? { owners[address]?.host }

    /// All hosts on it, in the order in which they were made.
    var hosts: [SimulatedHost] {
        var seen: Set<Int> = []
        return owners.values.map(\.host).filter { seen.insert($0.index).inserted }.sorted {
            $0.index < $1.index
        }
    }

    // MARK: Addresses

    /// One address of each prefix with the same offset, the next that nobody has.
    func draw() -> [IPAddress] {
        while true {
            let drawn = prefixes.map { prefix in
                let address = prefix.address(at: nextOffset)
                guard let address, address != prefix.broadcast else {
                    preconditionFailure("the subnet \(name) has no address left")
                }
                return address
            }
            nextOffset += 1
            if drawn.allSatisfy({ owners[$0] == nil }) { return drawn }
        }
    }

    func claim(_ addresses: [IPAddress], for host: SimulatedHost) {
        for address in addresses {
            precondition(contains(address), "\(address) is no address of the subnet \(name)")
            precondition(!isBroadcast(address), "\(address) is a broadcast address")
            let owner = owners.updateValue(Owner(host: host), forKey: address)
            precondition(owner == nil, "\(address) belongs to \(owner?.host.name ?? "") already")
        }
    }

    func release(_ addresses: [IPAddress]) {
        for address in addresses { owners[address] = nil }
    }
}
