import Conformance
import Transport

extension TransportConformance {
    /// Datagrams.
    static let datagram: [Case] = [
        Case("udp.source", "datagrams carry their source") { trial in
            let one = try await trial.bind()
            let other = try await trial.bind()
            try require(
                one.localAddress.port != other.localAddress.port,
                "each socket has its port",
                saw: "one port"
            )
            try await one.send([1, 2, 3], to: other.localAddress)
            let datagram = try await other.receive()
            try require(datagram.bytes, is: [1, 2, 3], "the bytes arrive unchanged")
            try require(datagram.source, is: one.localAddress, "the source is the sender")
            try require(
                datagram.destination,
                is: other.localAddress.address,
                "the destination is the address to which it was sent"
            )
            try await other.send([4], to: datagram.source)
            try require(try await one.receive().bytes, is: [4], "an answer goes to the source")
            await one.close()
            await other.close()
        },
        Case("udp.one-by-one", "datagrams that are read one by one arrive once each, burst after burst") {
            trial in
            let one = try await trial.bind()
            let other = try await trial.bind()
            var next: UInt8 = 0
            // Whoever counts what it has taken of a burst must not count that of the next.
            for burst in [5, 5, 1, 3, 2] {
                let numbers = (0..<UInt8(burst)).map { next + $0 }
                for number in numbers { try await one.send([number], to: other.localAddress) }
                // A network may bring them in another order.
                var received: [UInt8] = []
                for _ in numbers {
                    let part = try await other.receive(atMost: 1)
                    try require(part.map(\.bytes.count), is: [1], "datagrams come one by one")
                    received += part.flatMap(\.bytes)
                }
                try require(received.sorted(), is: numbers, "each datagram of the burst comes once")
                next += UInt8(burst)
            }
            await one.close()
            await other.close()
        },
        Case("udp.too-large", "a datagram of more than 65,507 bytes is refused") { trial in
            let socket = try await trial.bind()
            try await requireFailure([.tooLarge], "65,508 bytes are too many") {
                try await socket.send([UInt8](repeating: 0, count: 65_508), to: socket.localAddress)
            }
            await socket.close()
        },
        Case("udp.closed", "a closed socket receives and sends nothing") { trial in
            let socket = try await trial.bind()
            await socket.close()
            try await requireFailure([.closed], "a receive ends") {
                _ = try await socket.receive()
            }
            try await requireFailure([.closed], "a send fails") {
                try await socket.send([1], to: socket.localAddress)
            }
        },
    ]
}
