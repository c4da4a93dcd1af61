import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Limits of requests over live sockets", .timeLimit(.minutes(5)))
struct ProgressLimitTests {
    @Test(
        "a request without a body that gets no connection ends within the limit for that alone, and was not sent"
    )
    func connectLimit() async throws {
        try await FullListener.run { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let limits = HTTPLimits(
                    connect: .milliseconds(300),
                    progress: LiveWorld.hang,
                    head: LiveWorld.hang
                )
                let start = ContinuousClock.now
                let error = await failure { () throws(TransportError) in
                    _ = try await transport.send(world.request(), body: .empty, limits: limits)
                }
                // The limit for the answer's head is not waited for.
                #expect(start.duration(to: .now) < LiveWorld.hang)
                #expect(error?.code == .timedOut)
                #expect(error?.detail == "no connection within 0.3 seconds")
                #expect(error?.reach == .notSent)
            }
        }
    }

    @Test("the limit for the answer's head counts from the connection on", arguments: [false, true])
    func headLimit(isKept: Bool) async throws {
        try await RawServer.run { peer in
            if isKept {
                _ = await peer.read(through: "\r\n\r\n")
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                if isKept { _ = try await world.send() }
                let limits = HTTPLimits(
                    connect: LiveWorld.hang,
                    progress: LiveWorld.hang,
                    head: .milliseconds(300)
                )
                let error = await failure { () throws(TransportError) in
                    _ = try await transport.send(world.request(), body: .empty, limits: limits)
                }
                #expect(error?.code == .timedOut)
                #expect(error?.detail == "no response head within 0.3 seconds")
                #expect(error?.reach == .sent)
            }
        }
    }
}
