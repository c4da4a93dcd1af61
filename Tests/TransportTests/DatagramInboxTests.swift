import NIOCore
import TestSupport
import Testing
import Transport

@testable import LiveTransport

@Suite("What waits in a live datagram socket", .timeLimit(.minutes(5)))
struct DatagramInboxTests {
    private static let source = Endpoint(.loopbackV4, port: 1)

    @Test(
        "whatever the bursts and the sizes of the reads, each datagram comes once and in order, and nothing stays behind"
    )
    func order() async throws {
        for seed in 0..<500 {
            var random = SeededGenerator(seed: UInt64(seed))
            let inbox = DatagramInbox(local: nil)
            var (sent, received): ([UInt8], [UInt8]) = ([], [])
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let burst = (0..<Int.random(in: 1...40, using: &random)).map {
                    UInt8(truncatingIfNeeded: $0 + sent.count)
                }
                _ = inbox.push(burst.map { Datagram(bytes: [$0], source: Self.source) })
                sent += burst
                while received.count < sent.count {
                    let count = Int.random(in: 1...40, using: &random)
                    let left = sent.count - received.count
                    let part = try await inbox.take(count) { #expect(inbox.waiting == 0, "seed \(seed)") }
                    #expect(part.count == min(count, left), "seed \(seed)")
                    received += part.flatMap(\.bytes)
                    #expect(inbox.waiting == sent.count - received.count, "seed \(seed)")
                    if part.isEmpty { break }
                }
            }
            #expect(received == sent, "seed \(seed)")
        }
    }

    @Test("of a flood that nobody reads, no more than one read of the socket waits in the process")
    func flood() async throws {
        try await withTransport { transport in
            let sender = try await transport.bind(.loopback())
            let bound = try await transport.bind(
                .loopback(),
                options: DatagramOptions(receiveBufferBytes: 1 << 20)
            )
            let socket = try #require(bound as? LiveDatagramSocket)
            // Has the socket read.
            try await sender.send([0], to: socket.localAddress)
            #expect(try await socket.receive().bytes == [0])
            for number in 0..<10_000 {
                try await sender.send([UInt8(truncatingIfNeeded: number)], to: socket.localAddress)
                // The event loop gets its turns between them, and after all of them.
                if number % 100 == 0 { try await socket.channel.eventLoop.submit {}.get() }
            }
            for _ in 0..<200 { try await socket.channel.eventLoop.submit {}.get() }
            #expect((1...32).contains(socket.inbox.waiting))
        }
    }
}
