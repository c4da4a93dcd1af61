import Glibc
import LiveTransport
import Testing
import Transport

@Suite("Names of hosts that have several addresses")
struct NameResolutionTests {
    @Test("all addresses are found, of both versions, in the resolver's order and each once")
    func allAddresses() {
        let list = UnsafeMutableBufferPointer<addrinfo>.allocate(capacity: 3)
        unsafe list.initializeElement(at: 0, to: entry(v6: 1))
        unsafe list.initializeElement(at: 1, to: entry(v4: 0x7F00_0001))
        unsafe list.initializeElement(at: 2, to: entry(v4: 0x7F00_0001))
        for index in 0..<2 {
            unsafe list[index].ai_next = unsafe list.baseAddress?.advanced(by: index + 1)
        }
        let found = unsafe list.baseAddress.map { unsafe NameLookup.endpoints(in: $0, port: 7) } ?? []
        for index in 0..<3 { unsafe list[index].ai_addr.deallocate() }
        unsafe list.deallocate()
        #expect(found.map(\.description) == ["[::1]:7", "127.0.0.1:7"])
    }

    @Test("an IPv4 socket sends to the first IPv4 address of a name, an IPv6 socket to the first of all")
    func destination() throws {
        let found = try ["[::1]:7", "127.0.0.1:7", "127.0.0.2:7"].map { try #require(Endpoint($0)) }
        #expect(found.destination(of: .v4) == found[1])
        #expect(found.destination(of: .v6) == found[0])
        #expect(Array(found.prefix(1)).destination(of: .v4) == found[0])
        #expect([Endpoint]().destination(of: .v4) == nil)
    }

    /// An entry of the resolver's answer, whose address the caller gives back.
    private func entry(v4 address: UInt32) -> addrinfo {
        unsafe entry(AF_INET, SystemV4(address: address.bigEndian))
    }

    private func entry(v6 lowest: UInt8) -> addrinfo {
        unsafe entry(AF_INET6, SystemV6(address: (0, 0, 0, UInt32(lowest).bigEndian)))
    }

    private func entry<System>(_ family: CInt, _ system: System) -> addrinfo {
        let place = UnsafeMutablePointer<System>.allocate(capacity: 1)
        unsafe place.initialize(to: system)
        var entry = unsafe addrinfo()
        unsafe entry.ai_family = family
        unsafe entry.ai_addr = unsafe UnsafeMutableRawPointer(place).assumingMemoryBound(to: sockaddr.self)
        return unsafe entry
    }
}
