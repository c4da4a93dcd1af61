import Transport

/// One connection of a host to a subnet.
struct SimulatedInterface {
    /// The name of the interface that every host has for itself, as on Linux.
    static let loopbackName = "lo"

    let name: String
    let index: Int
    let subnet: SimulatedSubnet
    let addresses: [IPAddress]

    func address(_ version: IPAddress.Version) -> IPAddress? { addresses.first { $0.version == version } }

    /// As programs on the host see it.
    var description: NetworkInterface {
        let all = addresses.compactMap { address in
            subnet.prefixes.first { $0.contains(address) }.map { NetworkInterface.Address(address, in: $0) }
        }
        return NetworkInterface(name: name, index: index, addresses: all)
    }
}
