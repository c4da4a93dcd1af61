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

    @Test(
        "a request may wait for its connection longer than for one attempt, and the transport does not wait for the last"
    )
    func laterAttempts() async throws {
        try await FullListener.run { port in
            let start = ContinuousClock.now
            let configuration = LiveTransport.Configuration(connectTimeout: .milliseconds(100))
            for attempt in [configuration, LiveTransport.Configuration(connectTimeout: LiveWorld.hang)] {
                try await withTransport(attempt) { transport in
                    let world = LiveWorld(
                        transport: transport,
                        address: .loopback(port: port),
                        isSecure: false
                    )
                    let limits = HTTPLimits(
                        connect: .milliseconds(700),
                        progress: LiveWorld.hang,
                        head: LiveWorld.hang
                    )
                    let error = await failure { () throws(TransportError) in
                        _ = try await transport.send(world.request(), body: .empty, limits: limits)
                    }
                    #expect(error?.detail == "no connection within 0.7 seconds")
                    #expect(error?.reach == .notSent)
                }
            }
            #expect(start.duration(to: .now) < LiveWorld.hang)
        }
    }

    @Test("only an origin that may have HTTP/2 has the limits of shared connections")
    func origins() {
        let multiplexing = Multiplexing()
        #expect(!multiplexing.isPossible("https:a"))
        multiplexing.answered("https:b", isShared: false)
        multiplexing.opened()
        // Whose it is shows when they answer.
        for origin in ["https:a", "https:b"] { #expect(multiplexing.isPossible(origin)) }
        #expect(!multiplexing.isPossible("http:c"))
        multiplexing.answered("https:a", isShared: true)
        multiplexing.answered("https:b", isShared: false)
        #expect(multiplexing.isPossible("https:a"))
        #expect(!multiplexing.isPossible("https:b"))
        // An origin can have another server later.
        multiplexing.answered("https:a", isShared: false)
        #expect(!multiplexing.isPossible("https:a"))
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
