import DirectTransport
import Testing
import Transport

@Suite("WebSocket pair", .timeLimit(.minutes(1)))
struct WebSocketPairTests {
    @Test("messages arrive whole and in order, in both directions")
    func order() async throws {
        let pair = WebSocketPair()
        try await pair.client.send(text: "one")
        try await pair.client.send(binary: [2])
        try await pair.server.send(text: "three")
        #expect(try await pair.server.receive() == .text("one"))
        #expect(try await pair.server.receive() == .binary([2]))
        #expect(try await pair.client.receive() == .text("three"))
    }

    @Test("a sender waits while the buffer is full, and goes on when the reader does")
    func backPressure() async throws {
        let pair = WebSocketPair(serverLimits: WebSocketLimits(bufferedMessages: 2))
        try await pair.client.send(text: "0")
        try await pair.client.send(text: "1")
        let held = Task { try await pair.client.send(text: "2") }
        for number in 0...2 { #expect(try await pair.server.receive() == .text("\(number)")) }
        try await held.value
    }

    @Test("a cancelled sender leaves nothing behind")
    func cancelledSend() async throws {
        let pair = WebSocketPair(serverLimits: WebSocketLimits(bufferedMessages: 1))
        try await pair.client.send(text: "first")
        let held = Task { try await pair.client.send(text: "never") }
        held.cancel()
        await #expect { try await held.value } throws: { ($0 as? TransportError)?.code == .cancelled }
        #expect(try await pair.server.receive() == .text("first"))
        try await pair.client.send(text: "last")
        #expect(try await pair.server.receive() == .text("last"))
    }

    @Test("a cancelled receive loses no message")
    func cancelledReceive() async throws {
        let pair = WebSocketPair()
        let waiting = Task { try await pair.server.receive() }
        waiting.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? TransportError)?.code == .cancelled }
        try await pair.client.send(text: "kept")
        #expect(try await pair.server.receive() == .text("kept"))
    }

    @Test("what was sent before a close is read before it, and the close is given again and again")
    func closeIsLast() async throws {
        let pair = WebSocketPair()
        try await pair.client.send(text: "last words")
        await pair.client.close(WebSocketClose(code: 1000, reason: "done"))
        await pair.client.close(WebSocketClose(code: 1011))
        #expect(try await pair.server.receive() == .text("last words"))
        for _ in 0..<2 {
            #expect(try await pair.server.receive() == .closed(WebSocketClose(code: 1000, reason: "done")))
            #expect(try await pair.client.receive() == .closed(WebSocketClose(code: 1000, reason: "done")))
        }
        await #expect { try await pair.server.send(text: "late") } throws: {
            ($0 as? TransportError)?.code == .closed
        }
    }

    @Test("an end that is let go breaks the connection: 1006, and reset for the sender")
    func dropped() async throws {
        var client: PairedWebSocket?
        let server: PairedWebSocket
        do {
            let pair = WebSocketPair()
            client = pair.client
            server = pair.server
        }
        #expect(client != nil)
        client = nil
        #expect(try await server.receive() == .closed(.abnormal))
        await #expect { try await server.send(text: "?") } throws: { ($0 as? TransportError)?.code == .reset }
    }

    @Test("a message above the limit closes with 1009")
    func oversize() async throws {
        let pair = WebSocketPair(serverLimits: WebSocketLimits(messageBytes: 10))
        try await pair.client.send(text: "0123456789")
        try await pair.client.send(text: "0123456789+")
        #expect(try await pair.server.receive() == .text("0123456789"))
        guard case .closed(let close) = try await pair.client.receive() else {
            Issue.record("the connection is still open")
            return
        }
        #expect(close.code == 1009)
    }

    @Test("a pong is late while the other end does not read")
    func latePong() async throws {
        let pair = WebSocketPair(serverLimits: WebSocketLimits(bufferedMessages: 1))
        try await pair.client.send(text: "0")
        await #expect { try await pair.client.ping(timeout: .milliseconds(1)) } throws: {
            ($0 as? TransportError)?.code == .timedOut
        }
        #expect(try await pair.server.receive() == .text("0"))
        try await pair.client.ping(timeout: .seconds(60))
    }

    @Test("a long reason is cut to 123 bytes of whole characters")
    func reason() async throws {
        let pair = WebSocketPair()
        await pair.server.close(WebSocketClose(code: 1008, reason: String(repeating: "é", count: 100)))
        #expect(
            try await pair.client.receive()
                == .closed(WebSocketClose(code: 1008, reason: String(repeating: "é", count: 61)))
        )
    }
}
