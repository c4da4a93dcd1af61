import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Bodies that come slowly, over live sockets", .timeLimit(.minutes(5)))
struct SlowBodyTests {
    private let limits = LoopbackHost.Limits(bodyGrace: .seconds(2), bodyBytesPerSecond: 100)

    @Test("a body of a byte now and then is refused with 408, and its reader gets an error")
    func trickle() async throws {
        let seen = Box<TransportError.Code?>(nil)
        let server = ScriptedServer.answering { _, body in
            let error = await failure { () throws(TransportError) in _ = try await body.collect(upTo: 1000) }
            if let error { seen.set(error.code) }
            return .text("all of it")
        }
        try await withLive(server, limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            let trickling = Task { [peer = Unchecked(peer)] in
                while !Task.isCancelled {
                    try await peer.value.send("x")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let other = try await world.send(.post, body: .text("quick"))
            #expect(other.head.status == .ok)
            let answer = await peer.readToEnd()
            trickling.cancel()
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
        }
        #expect(seen.value == .timedOut || seen.value == .cancelled)
    }

    @Test("a body that comes fast enough may take as long as it needs")
    func steady() async throws {
        let server = ScriptedServer.answering { _, body in
            .text("\((try? await body.collect(upTo: 100_000).count) ?? -1)")
        }
        try await withLive(server, limits: limits) { world, _ in
            let body = slowBody(
                every: .milliseconds(400),
                chunk: [UInt8](repeating: 1, count: 2000),
                count: 8
            )
            let (_, answer) = try await world.send(.post, body: body)
            #expect(try await answer.collect(upTo: 100) == Array("16000".utf8))
        }
    }

    @Test("a server that does not read may take as long as it likes")
    func slowServer() async throws {
        // What the server's window takes buys less than two seconds more.
        let quick = LoopbackHost.Limits(bodyGrace: .seconds(2), bodyBytesPerSecond: 200_000)
        let server = ScriptedServer.answering { _, body in
            try? await Task.sleep(for: .seconds(6))
            return .text("\((try? await body.collect(upTo: 1 << 24).count) ?? -1)")
        }
        try await withLive(server, limits: quick) { world, _ in
            let sent = HTTPBody.bytes([UInt8](repeating: 1, count: 1 << 23))
            let (_, answer) = try await world.send(.post, body: sent)
            let text = String(decoding: try await answer.collect(upTo: 100), as: UTF8.self)
            #expect(text == "\(1 << 23)")
        }
    }
}

/// A value that two tasks use for different things: one sends, the other receives.
private struct Unchecked<Value>: @unchecked Sendable {
    // Invariant that makes this Sendable: sending touches nothing of the connection but its channel, which is safe anywhere.
    let value: Value

    init(_ value: Value) { self.value = value }
}
