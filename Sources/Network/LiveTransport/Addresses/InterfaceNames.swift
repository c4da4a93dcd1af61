import Glibc
import NIOCore
import Transport

/// Names and numbers of the system's interfaces.
enum InterfaceNames {
    /// The name of the interface that has this number now.
    static func name(of index: Int) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let end = buffer.baseAddress, let found = unsafe if_indextoname(UInt32(index), end) else {
                return nil
            }
            return unsafe String(cString: found)
        }
    }

    /// The number of an interface; a zone may be written as a number too.
    static func index(of name: String) -> Int? {
        let index = unsafe if_nametoindex(name)
        if index != 0 { return Int(index) }
        // No other number fits what the system takes.
        return Int32(name).flatMap { $0 > 0 ? Int($0) : nil }
    }

    /// All interfaces with an IP address, by number.
    static func all() throws(TransportError) -> [NetworkInterface] {
        let devices: [NIONetworkDevice]
        do {
            devices = try System.enumerateDevices()
        } catch {
            throw TransportError(cause: error, operation: "list interfaces", peer: "this host")
        }
        var found: [Int: NetworkInterface] = [:]
        for device in devices {
            guard let address = device.address.flatMap({ Endpoint($0) })?.address else { continue }
            let index = device.interfaceIndex
            let mask = device.netmask.flatMap { Endpoint($0) }?.address
            let length = mask.map { $0.bits.nonzeroBitCount } ?? address.version.bitCount
            guard let subnet = IPSubnet(address.inZone(nil), prefixLength: length) else { continue }
            found[index, default: NetworkInterface(name: device.name, index: index, addresses: [])]
                .addresses.append(.init(address, in: subnet))
        }
        return found.values.sorted { $0.index < $1.index }
    }
}
