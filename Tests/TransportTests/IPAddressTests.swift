import Testing
import Transport

@Suite("IP addresses, endpoints and subnets")
struct IPAddressTests {
    @Test(
        "an address is printed as RFC 5952 recommends",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("2001:0db8:0:0:0:0:0:0001", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:DB8::ABCD", "2001:db8::abcd"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("0:0:0:0:0:0:13.1.68.3", "::d01:4403"), ("::FFFF:129.144.52.38", "::ffff:129.144.52.38"),
            ("::ffff:0:0", "::ffff:0.0.0.0"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("fe80::1%eth0", "fe80::1%eth0"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ]
    )
    func printing(_ text: String, _ printed: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == printed)
        #expect(IPAddress(printed) == address)
    }

    @Test(
        "what is no address is not read",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.", "1.2.3.+4", "1.2.3.4%eth0",
            " 1.2.3.4",
            "localhost", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
            "12345::", "g::", "::1%", "::1%a%b", "1.2.3.4::", "::1.2.3.4:5", ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:",
            "[::1]", "::+1", "1:2:3:4:5:6:7:1.2.3.4",
        ]
    )
    func refusing(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test("bytes are in network order")
    func bytes() throws {
        #expect(IPAddress(192, 0, 2, 1).bytes == [192, 0, 2, 1])
        let six = try #require(IPAddress("2001:db8::102"))
        #expect(six.bytes == [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 10) + [1, 2])
        #expect(IPAddress(bytes: six.bytes) == six)
        #expect(IPAddress(bytes: [192, 0, 2, 1]) == IPAddress(192, 0, 2, 1))
        #expect(IPAddress(bytes: six.bytes, zone: "a") == six.inZone("a"))
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
        #expect(IPAddress(bytes: [1, 2, 3, 4], zone: "a") == nil)
    }

    @Test("what an address is for is known from its bits")
    func kinds() {
        func having(_ property: (IPAddress) -> Bool, _ texts: [String]) -> [String] {
            texts.filter { IPAddress($0).map(property) == true }
        }
        let all = [
            "0.0.0.0", "127.0.0.1", "127.1.2.3", "128.0.0.1", "10.1.1.1", "172.15.0.1", "172.16.0.1",
            "172.32.0.1",
            "192.168.1.1", "192.169.0.1", "169.254.1.1", "223.0.0.1", "224.0.0.251", "239.1.1.1", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::2", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1",
            "ff02::fb",
        ]
        #expect(having(\.isLoopback, all) == ["127.0.0.1", "127.1.2.3", "::1"])
        #expect(having(\.isMulticast, all) == ["224.0.0.251", "239.1.1.1", "ff02::fb"])
        #expect(having(\.isUnspecified, all) == ["0.0.0.0", "::"])
        #expect(having(\.isLimitedBroadcast, all) == ["255.255.255.255"])
        #expect(having(\.isLinkLocal, all) == ["169.254.1.1", "fe80::1", "febf::1"])
        #expect(having(\.isPrivate, all) == ["10.1.1.1", "172.16.0.1", "192.168.1.1", "fc00::1", "fdff::1"])
    }

    @Test("a mapped address stands for an IPv4 one")
    func mapping() throws {
        let four = IPAddress(10, 0, 0, 1)
        let six = try #require(IPAddress("::ffff:10.0.0.1"))
        #expect(four != six)
        #expect(four.mapped == six)
        #expect(six.unmapped == four)
        #expect(try #require(IPAddress("::fffe:10.0.0.1")).unmapped.version == .v6)
        #expect(IPAddress.loopbackV6.mapped == .loopbackV6)
    }

    @Test(
        "an endpoint is read as it is printed",
        arguments: ["10.0.0.1:80", "[2001:db8::1]:0", "[fe80::1%lo]:65535"]
    )
    func endpoints(_ text: String) throws {
        let endpoint = try #require(Endpoint(text))
        #expect(endpoint.description == text)
        #expect(endpoint.socketAddress.description == text)
        #expect(endpoint.socketAddress.endpoint == endpoint)
    }

    @Test(
        "what is no endpoint is not read",
        arguments: [
            "10.0.0.1", "10.0.0.1:", "10.0.0.1:65536", "[10.0.0.1]:1", "::1:80", "[::1]", "host:1",
            "1.1.1.1:+1",
        ]
    )
    func noEndpoints(_ text: String) { #expect(Endpoint(text) == nil) }

    @Test("a name is no endpoint until it is resolved")
    func names() {
        #expect(SocketAddress(host: "localhost", port: 1).endpoint == nil)
        #expect(SocketAddress(host: "127.0.0.1", port: 65_536).endpoint == nil)
    }

    @Test("addresses are in order of version, bytes and zone")
    func order() {
        let ordered = ["1.2.3.4", "10.0.0.1", "::1", "fe80::1", "fe80::1%a", "fe80::1%b"].compactMap {
            IPAddress($0)
        }
        #expect(ordered.shuffled().sorted() == ordered)
    }

    @Test("a subnet knows its addresses and who hears a broadcast")
    func subnets() throws {
        let home = try #require(IPSubnet("192.168.1.0/24"))
        #expect(home.contains(IPAddress(192, 168, 1, 200)))
        #expect(!home.contains(IPAddress(192, 168, 2, 1)))
        #expect(!home.contains(.loopbackV6))
        #expect(home.broadcast == IPAddress(192, 168, 1, 255))
        #expect(home.address(at: 7) == IPAddress(192, 168, 1, 7))
        #expect(home.address(at: 256) == nil)
        #expect(home.address(at: -1) == nil)
        #expect(IPSubnet(IPAddress(192, 168, 1, 77), prefixLength: 24) == home)
        #expect(home.description == "192.168.1.0/24")
        #expect(IPSubnet("10.0.0.0/31")?.broadcast == nil)
        #expect(IPSubnet("fd00::/64")?.broadcast == nil)
        let everything = try #require(IPSubnet("::/0"))
        #expect(everything.contains(.loopbackV6))
        for text in [
            "10.0.0.1/24", "10.0.0.0/33", "10.0.0.0", "10.0.0.0/", "/8", "10.0.0.0/-1", "fe80::%a/64",
        ] {
            #expect(IPSubnet(text) == nil, "\(text)")
        }
    }
}
