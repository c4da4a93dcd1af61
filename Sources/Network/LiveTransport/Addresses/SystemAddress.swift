internal import Glibc

// The layouts of the system's structures, since the members of its own ones cannot be named everywhere: NIO's C modules include the same
// headers, and which module they then belong to depends on the order in which the compiler has come upon them.

/// The system's `sockaddr_in` (ip(7)); what is of the network is in network order.
package struct SystemV4 {
    package var family = UInt16(AF_INET)
    package var port: UInt16 = 0
    package var address: UInt32 = 0
    var padding: UInt64 = 0

    /// Makes one of any port and address.
    package init(port: UInt16 = 0, address: UInt32 = 0) { (self.port, self.address) = (port, address) }
}

/// The system's `sockaddr_in6` (ipv6(7)); what is of the network is in network order.
package struct SystemV6 {
    package var family = UInt16(AF_INET6)
    package var port: UInt16 = 0
    var flow: UInt32 = 0
    package var address: (UInt32, UInt32, UInt32, UInt32)
    package var zone: UInt32 = 0

    /// Makes one of this address.
    package init(port: UInt16 = 0, address: (UInt32, UInt32, UInt32, UInt32), zone: UInt32 = 0) {
        (self.port, self.address, self.zone) = (port, address, zone)
    }
}
