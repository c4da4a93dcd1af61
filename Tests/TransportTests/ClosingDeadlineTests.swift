import NIOCore
import NIOEmbedded
import Testing

@testable import LiveTransport

@Suite("The deadline of a connection", .timeLimit(.minutes(1)))
struct ClosingDeadlineTests {
    private let channel = EmbeddedChannel()
    private let deadline = ClosingDeadline()

    init() throws { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }

    private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    @Test("a deadline that moves on closes the connection at its newest time")
    func moves() {
        deadline.set(channel, in: .seconds(10))
        pass(.seconds(6))
        deadline.set(channel, in: .seconds(10))
        pass(.seconds(6))
        deadline.set(channel, in: .seconds(10))
        pass(.milliseconds(9999))
        #expect(channel.isActive)
        pass(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a deadline that comes before the one that was set closes the connection in time")
    func comesSooner() {
        deadline.set(channel, in: .seconds(60))
        deadline.set(channel, in: .seconds(1))
        pass(.milliseconds(999))
        #expect(channel.isActive)
        pass(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a deadline that was lifted closes nothing until it is set again", arguments: [1, 20])
    func lifted(seconds: Int64) {
        deadline.set(channel, in: .seconds(10))
        deadline.lift()
        pass(.seconds(seconds))
        #expect(channel.isActive)
        deadline.set(channel, in: .seconds(15))
        pass(.milliseconds(14_999))
        #expect(channel.isActive)
        pass(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a deadline that was cancelled leaves no timer and closes nothing")
    func cancelled() {
        deadline.set(channel, in: .seconds(10))
        deadline.cancel()
        pass(.seconds(20))
        #expect(channel.isActive)
    }
}
