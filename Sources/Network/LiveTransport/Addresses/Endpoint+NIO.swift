import Glibc
import NIOCore
import Transport

extension Endpoint {
    /// The endpoint of a socket; `nil` for one that has no IP address.
    ///
    /// An IPv4 address that an IPv6 socket gives in its mapped form is an IPv4 address.
    init?(_ address: NIOCore.SocketAddress) {
        switch address {
        case .v4(let known):
            let system = unsafe withUnsafeBytes(of: known.address) { unsafe $0.load(as: SystemV4.self) }
            let bits = UInt128(UInt32(bigEndian: system.address))
            self.init(IPAddress(version: .v4, bits: bits), port: Int(UInt16(bigEndian: system.port)))
        case .v6(let known):
            let system = unsafe withUnsafeBytes(of: known.address) { unsafe $0.load(as: SystemV6.self) }
            let zone = system.zone == 0 ? nil : InterfaceNames.name(of: Int(system.zone))
            let address = IPAddress(words: system.address, zone: zone)
            self.init(address.unmapped, port: Int(UInt16(bigEndian: system.port)))
        case .unixDomainSocket: return nil
        }
    }

    /// The same for the system; IPv4 in its mapped form for a socket of both versions.
    func system(for version: IPAddress.Version) -> NIOCore.SocketAddress {
        let address = version == .v6 ? address.mapped : address
        let port = UInt16(truncatingIfNeeded: port).bigEndian
        switch address.version {
        case .v4:
            let system = SystemV4(port: port, address: UInt32(truncatingIfNeeded: address.bits).bigEndian)
            let known = unsafe withUnsafeBytes(of: system) { unsafe $0.load(as: sockaddr_in.self) }
            return NIOCore.SocketAddress(known, host: "")
        case .v6:
            let zone = address.zone.flatMap(InterfaceNames.index).map { UInt32($0) } ?? 0
            let system = SystemV6(port: port, address: address.words, zone: zone)
            let known = unsafe withUnsafeBytes(of: system) { unsafe $0.load(as: sockaddr_in6.self) }
            return NIOCore.SocketAddress(known, host: "")
        }
    }
}

extension IPAddress {
    /// The bytes of an IPv6 address, as the system has them.
    var words: (UInt32, UInt32, UInt32, UInt32) {
        func word(_ shift: Int) -> UInt32 { UInt32(truncatingIfNeeded: bits >> shift).bigEndian }
        return (word(96), word(64), word(32), word(0))
    }

    fileprivate init(words: (UInt32, UInt32, UInt32, UInt32), zone: String?) {
        let high = UInt128(UInt32(bigEndian: words.0)) << 32 | UInt128(UInt32(bigEndian: words.1))
        let low = UInt128(UInt32(bigEndian: words.2)) << 32 | UInt128(UInt32(bigEndian: words.3))
        self.init(version: .v6, bits: high << 64 | low, zone: zone)
    }
}
