import Conformance
import TestSupport
import Transport

extension TransportConformance {
    /// Groups, broadcast, shared ports, batches and the receive buffer; on the host's loopback interface.
    static let datagramOptions: [Case] = [
        Case("udp.batch", "datagrams that wait are received at once, in their order") { trial in
            let (sender, receiver) = (try await trial.bind(), try await trial.bind())
            for number in 0..<8 { try await sender.send([UInt8(number)], to: receiver.localAddress) }
            var received: [UInt8] = []
            while received.count < 8 {
                let batch = try await receiver.receive(atMost: 3)
                try require((1...3).contains(batch.count), "a batch has one to three", saw: "\(batch.count)")
                received += batch.map { $0.bytes[0] }
            }
            try require(received.sorted(), is: Array(0..<8), "every datagram is received once")
            await sender.close()
            await receiver.close()
        },
        Case("udp.overflow", "a full receive buffer loses the newest datagrams") { trial in
            let receiver = try await trial.bind(DatagramOptions(receiveBufferBytes: 16_384))
            let sender = try await trial.bind()
            func send(_ number: UInt8, times: Int = 1) async throws {
                let bytes = [UInt8](repeating: number, count: 1000)
                for _ in 0..<times { try await sender.send(bytes, to: receiver.localAddress) }
            }
            for number in 1...4 as ClosedRange<UInt8> { try await send(number) }
            try await trial.settle()
            // More than any buffer holds, and what a transport has read ahead.
            let flood = 4000
            try await send(0, times: flood)
            try await trial.settle()
            var received: [UInt8] = []
            // The mark comes through when the reader has made room.
            while !received.contains(255) {
                try await send(255)
                received += try await receiver.receive(atMost: 64).map { $0.bytes[0] }
            }
            try require(received.prefix(4).sorted(), is: [1, 2, 3, 4], "what came first is kept")
            let kept = received.count { $0 == 0 }
            try require(kept < flood, "the buffer has an end", saw: "\(kept) of \(flood)")
            await sender.close()
            await receiver.close()
        },
        Case("udp.multicast", "a group's datagrams reach sockets that have joined it, until they leave") {
            trial in
            let (interface, group) = (try await trial.loopbackInterface(), IPAddress(239, 255, 77, 1))
            let options = DatagramOptions(sharesPort: true, multicastInterface: interface)
            let first = try await trial.bindToAll(options)
            let second = try await trial.bindToAll(options, port: first.localAddress.port)
            try await first.join(group)
            try await first.join(group)
            try await second.join(group, on: interface)
            let sender = try await trial.bind(DatagramOptions(multicastInterface: interface))
            let target = Endpoint(group, port: first.localAddress.port)
            try await sender.send([1], to: target)
            for member in [first, second] {
                let datagram = try await member.receive()
                try require(datagram.bytes, is: [1], "every member receives it")
                try require(datagram.destination, is: group, "the destination is the group")
                try require(datagram.interface, is: interface, "the interface is the one joined on")
                try require(datagram.source, is: sender.localAddress, "the source is the sender")
            }
            try await second.leave(group, on: interface)
            try await sender.send([2], to: target)
            try require(try await first.receive().bytes, is: [2], "who stays goes on receiving")
            // The second is sent something of its own, which would come after the group's.
            try await trial.settle()
            await first.close()
            try await sender.send([3], to: Endpoint(.loopbackV4, port: second.localAddress.port))
            try require(try await second.receive().bytes, is: [3], "a socket that has left receives no more")
            try await requireFailure([.addressUnavailable], "a group is left once") {
                try await second.leave(group, on: interface)
            }
            for socket in [second, sender] { await socket.close() }
        },
        Case("udp.multicast-address", "only a multicast address is joined") { trial in
            let socket = try await trial.bind()
            for address in [IPAddress.loopbackV4, .loopbackV6, .broadcast] {
                try await requireFailure([.addressUnavailable], "\(address) is no group") {
                    try await socket.join(address)
                }
            }
            await socket.close()
        },
        Case("udp.broadcast-refused", "a socket broadcasts only when its options allow it") { trial in
            let socket = try await trial.bindToAll(DatagramOptions())
            // A host that is on no network has no way there, which Linux looks for first (ip(7)).
            let isAlone = try await trial.client.interfaces().allSatisfy(\.isLoopback)
            let codes: Set<TransportError.Code> =
                isAlone ? [.addressUnavailable, .unreachable] : [.addressUnavailable]
            try await requireFailure(codes, "255.255.255.255 is refused") {
                try await socket.send([1], to: Endpoint(.broadcast, port: 9))
            }
            await socket.close()
        },
        Case("udp.shared-port", "a port is shared by sockets that both say so") { trial in
            let shared = DatagramOptions(sharesPort: true)
            let first = try await trial.bind(shared)
            let second = try await trial.bind(shared, port: first.localAddress.port)
            let sender = try await trial.bind()
            try await sender.send([1], to: first.localAddress)
            try require(try await second.receive().bytes, is: [1], "the last that was bound receives")
            await second.close()
            try await sender.send([2], to: first.localAddress)
            try require(try await first.receive().bytes, is: [2], "the other receives when that is closed")
            try await requireFailure(
                [.addressUnavailable],
                "a port is not shared with one that does not say so"
            ) {
                _ = try await trial.bind(port: first.localAddress.port)
            }
            for socket in [first, sender] { await socket.close() }
        },
        Case("udp.closed-with-rest", "a closed socket gives nothing that was left in it") { trial in
            let (sender, receiver) = (try await trial.bind(), try await trial.bind())
            for number in 0..<3 { try await sender.send([UInt8(number)], to: receiver.localAddress) }
            _ = try await receiver.receive()
            await receiver.close()
            try await requireFailure([.closed], "a receive ends") {
                _ = try await receiver.receive()
            }
            await sender.close()
        },
        Case("udp.cancelled", "a receive that is cancelled loses no datagram") { trial in
            let (sender, receiver) = (try await trial.bind(), try await trial.bind())
            let waiting = Task { () async -> TransportError.Code? in
                await failure { () throws(TransportError) in _ = try await receiver.receive() }?.code
            }
            waiting.cancel()
            try require(await waiting.value, is: .cancelled, "the receive ends")
            try await sender.send([7], to: receiver.localAddress)
            try require(try await receiver.receive().bytes, is: [7], "the next one gets the datagram")
            await sender.close()
            await receiver.close()
        },
        Case("udp.names", "a name leads to the addresses of its host") { trial in
            let found = try await trial.client.resolve(SocketAddress(host: "localhost", port: 7))
            try require(
                found.contains { $0.address.isLoopback && $0.port == 7 },
                "localhost is this host",
                saw: "\(found)"
            )
            let literal = try await trial.client.resolve(SocketAddress(host: "2001:DB8::1", port: 7))
            try require(literal.map(\.description), is: ["[2001:db8::1]:7"], "a literal is its own address")
        },
        Case(
            "udp.named-destination",
            "a datagram is sent to a name at an address that the socket can send to"
        ) {
            trial in
            let (sender, receiver) = (try await trial.bind(), try await trial.bind())
            try await sender.send(
                [1],
                to: SocketAddress(host: "localhost", port: receiver.localAddress.port)
            )
            try require(try await receiver.receive().bytes, is: [1], "the datagram arrives")
            await sender.close()
            await receiver.close()
        },
    ]
}

extension Trial {
    func bind(
        _ options: DatagramOptions = DatagramOptions(),
        port: Int = 0
    ) async throws(TransportError) -> any DatagramSocket {
        var address = harness.datagramAddress
        if port != 0 { address.port = port }
        return try await client.bind(address, options: options)
    }

    /// Binds to all IPv4 addresses of the client.
    func bindToAll(
        _ options: DatagramOptions,
        port: Int = 0
    ) async throws(TransportError) -> any DatagramSocket {
        try await client.bind(SocketAddress(host: "0.0.0.0", port: port), options: options)
    }

    func loopbackInterface() async throws -> String {
        let found = try await client.interfaces().first { $0.isLoopback }
        guard let found else { throw ConformanceFailure("every host has a loopback interface", saw: "none") }
        return found.name
    }

    /// Waits until what was sent before on the client's loopback has arrived, by datagrams that come after.
    func settle() async throws {
        let (sender, receiver) = (try await bind(), try await bind())
        for number in 0..<16 {
            try await sender.send([UInt8(number)], to: receiver.localAddress)
            _ = try await receiver.receive()
        }
        await sender.close()
        await receiver.close()
    }
}
