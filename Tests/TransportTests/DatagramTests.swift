import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Datagrams over live sockets", .timeLimit(.minutes(5)))
struct DatagramTests {
    @Test("a datagram arrives whole, with the address to answer to", arguments: [0, 1, 2049, 65_507])
    func unicast(size: Int) async throws {
        try await withTransport { transport in
            let first = try await transport.bind(.loopback())
            let second = try await transport.bind(.loopback())
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3) }
            try await first.send(bytes, to: second.localAddress)
            let received = try await second.receive()
            #expect(received.bytes == bytes)
            #expect(received.source == first.localAddress)
            try await second.send([1], to: received.source)
            #expect(try await first.receive().bytes == [1])
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
            for address in [socket.localAddress.socketAddress, SocketAddress(host: "198.51.100.1", port: 0)] {
                let error = await failure { () throws(TransportError) in _ = try await transport.bind(address)
                }
                #expect(error?.code == .addressUnavailable)
            }
        }
    }
}
