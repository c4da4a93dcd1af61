import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Options of live datagram sockets", .timeLimit(.minutes(5)))
struct DatagramOptionsTests {
    @Test("a broadcast on loopback reaches a socket of all addresses")
    func broadcast() async throws {
        try await withTransport { transport in
            let receiver = try await transport.bind(SocketAddress(host: "0.0.0.0", port: 0))
            // 127.0.0.0/8 is the one subnet that every machine has.
            let target = Endpoint(IPAddress(127, 255, 255, 255), port: receiver.localAddress.port)
            let plain = try await transport.bind(.loopback())
            let refused = await failure { () throws(TransportError) in try await plain.send([1], to: target) }
            #expect(refused?.code == .addressUnavailable)
            let sender = try await transport.bind(
                .loopback(),
                options: DatagramOptions(allowsBroadcast: true)
            )
            try await sender.send([2], to: target)
            let datagram = try await receiver.receive()
            #expect(datagram.bytes == [2])
            #expect(datagram.destination == target.address)
            #expect(datagram.source == sender.localAddress)
        }
    }

    @Test("a socket of both versions says plain IPv4 addresses, and answers them")
    func bothVersions() async throws {
        try await withTransport { transport in
            let options = DatagramOptions(multicastInterface: "lo", timeToLive: 3)
            let both = try await transport.bind(SocketAddress(host: "::", port: 0), options: options)
            let port = both.localAddress.port
            let group = try #require(IPAddress("ff12::4c65:6e73"))
            try await both.join(group)
            try await both.leave(group)
            let four = try await transport.bind(.loopback())
            try await four.send([2], to: Endpoint(.loopbackV4, port: port))
            let received = try await both.receive()
            #expect(received.source == four.localAddress)
            #expect(received.destination == .loopbackV4)
            #expect(received.interface == "lo")
            try await both.send([3], to: received.source)
            #expect(try await four.receive().bytes == [3])
            let six = try await transport.bind(SocketAddress(host: "::1", port: 0))
            try await both.send([4], to: six.localAddress)
            #expect(try await six.receive().source == Endpoint(.loopbackV6, port: port))
        }
    }

    @Test("what the system does not have is not available")
    func unavailable() async throws {
        try await withTransport { transport in
            let error = await failure { () throws(TransportError) in
                _ = try await transport.bind(
                    .loopback(),
                    options: DatagramOptions(multicastInterface: "no-such-interface")
                )
            }
            #expect(error?.code == .addressUnavailable)
            let socket = try await transport.bind(.loopback())
            // Numbers that no interface has are names of none, and end no process.
            for name in ["no-such-interface", "-1", "0", "99999999999"] {
                let join = await failure { () throws(TransportError) in
                    try await socket.join(IPAddress(239, 255, 77, 2), on: name)
                }
                #expect(join?.code == .addressUnavailable, "\(name)")
                let bind = await failure { () throws(TransportError) in
                    _ = try await transport.bind(SocketAddress(host: "fe80::1%\(name)", port: 0))
                }
                #expect(bind != nil, "\(name)")
            }
        }
    }

    @Test("the interfaces of this machine include loopback, with its addresses")
    func interfaces() async throws {
        try await withTransport { transport in
            let loopback = try await transport.interfaces().first { $0.isLoopback }
            #expect(loopback?.name == "lo")
            #expect(loopback?.index == 1)
            #expect(loopback?.addresses.first?.subnet == IPSubnet("127.0.0.0/8"))
        }
    }

    @Test("a loopback host binds what only this machine reaches")
    func loopbackHost() async throws {
        let host = try LoopbackHost()
        let peer = try await host.bind(.loopback())
        try await withTransport { transport in
            let client = try await transport.bind(.loopback())
            try await client.send([1], to: peer.localAddress)
            let datagram = try await peer.receive()
            try await peer.send([2], to: datagram.source)
            #expect(try await client.receive().bytes == [2])
        }
        await peer.close()
        let everywhere = SocketAddress(host: "0.0.0.0", port: 0)
        let group = SocketAddress(host: "239.255.77.3", port: 0)
        for (address, options) in [(everywhere, DatagramOptions()), (group, DatagramOptions())] {
            let error = await failure { () throws(TransportError) in
                _ = try await host.bind(address, options: options)
            }
            #expect(error?.code == .addressUnavailable)
        }
        let onLoopback = try await host.bind(group, options: DatagramOptions(multicastInterface: "lo"))
        await onLoopback.close()
        #expect(try await host.interfaces().allSatisfy { $0.isLoopback })
        let open = try await LoopbackHost(allowRemote: true).bind(everywhere)
        await open.close()
    }
}
