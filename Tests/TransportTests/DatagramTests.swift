import LiveTransport
import Testing
import Transport
import TransportConformance

@Suite("Datagrams over live sockets", .timeLimit(.minutes(5)))
struct DatagramTests {
    @Test("a datagram arrives whole, with the address to answer to", arguments: [0, 1, 2049, 65_507])
    func unicast(size: Int) async throws {
        try await withTransport { transport in
            let first = try await transport.bind(.loopback())
            let second = try await transport.bind(.loopback())
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3) }
            try await first.send(bytes, to: second.localAddress)
            let (received, source) = try await second.receive()
            #expect(received == bytes)
            #expect(source == first.localAddress)
            try await second.send([1], to: source)
            #expect(try await first.receive().bytes == [1])
        }
    }

    @Test("a multicast datagram reaches all who joined the group")
    func multicast() async throws {
        let onLoopback = LiveTransport.Configuration(multicastInterface: "lo")
        try await withTransport(onLoopback) { transport in
            // RFC 2365: administratively scoped.
            let group = "239.255.77.1"
            let first = try await transport.bind(Endpoint(host: group, port: 0))
            let port = first.localAddress.port
            let second = try await transport.bind(Endpoint(host: group, port: port))
            try await first.join(group: group)
            try await second.join(group: group)
            let sender = try await transport.bind(.loopback())
            try await sender.send([7, 7], to: Endpoint(host: group, port: port))
            #expect(try await first.receive().bytes == [7, 7])
            let received = try await second.receive()
            #expect(received.bytes == [7, 7])
            #expect(received.source == sender.localAddress)
        }
    }

    @Test("only multicast addresses can be joined")
    func joinUnicast() async throws {
        try await withTransport { transport in
            let socket = try await transport.bind(.loopback())
            for group in ["127.0.0.1", "nonsense"] {
                let error = await failure { () throws(TransportError) in try await socket.join(group: group) }
                #expect(error?.code == .addressUnavailable)
            }
        }
    }

    @Test("a slow reader finds the newest datagrams")
    func dropsOldest() async throws {
        try await withTransport(LiveTransport.Configuration(bufferedDatagrams: 4)) { transport in
            let socket = try await transport.bind(.loopback())
            for number in 0..<100 { try await socket.send([UInt8(number)], to: socket.localAddress) }
            // An event loop reads all its sockets that have something, so round trips on all loops bring nearly all in.
            for _ in 0..<16 {
                let other = try await transport.bind(.loopback())
                for _ in 0..<40 {
                    try await other.send([0], to: other.localAddress)
                    _ = try await other.receive()
                }
            }
            var numbers: [UInt8] = []
            repeat { numbers += try await socket.receive().bytes } while numbers.last != 99
            #expect(numbers == numbers.sorted())
            // Without dropping, all 100 would be there; what comes in while reading may add to the four.
            #expect(numbers.count < 100)
        }
    }

    @Test("one byte too many is too large")
    func tooLarge() async throws {
        try await withTransport { transport in
            let socket = try await transport.bind(.loopback())
            let error = await failure { () throws(TransportError) in
                try await socket.send([UInt8](repeating: 0, count: 65_508), to: socket.localAddress)
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test("closing ends a waiting receive, cancelling leaves the socket usable")
    func endings() async throws {
        try await withTransport { transport in
            let socket = try await transport.bind(.loopback())
            let cancelled = Task {
                await failure { () throws(TransportError) in _ = try await socket.receive() }
            }
            cancelled.cancel()
            #expect(await cancelled.value?.code == .cancelled)
            try await socket.send([5], to: socket.localAddress)
            #expect(try await socket.receive().bytes == [5])
            let waiting = Task {
                await failure { () throws(TransportError) in _ = try await socket.receive() }
            }
            await socket.close()
            #expect(await waiting.value?.code == .closed)
            let send = await failure { () throws(TransportError) in
                try await socket.send([1], to: socket.localAddress)
            }
            #expect(send?.code == .closed)
            await socket.close()
        }
    }

    @Test("a taken port and a foreign address are not available")
    func unavailable() async throws {
        try await withTransport { transport in
            let socket = try await transport.bind(.loopback())
            for address in [socket.localAddress, Endpoint(host: "198.51.100.1", port: 0)] {
                let error = await failure { () throws(TransportError) in _ = try await transport.bind(address)
                }
                #expect(error?.code == .addressUnavailable)
            }
        }
    }
}
