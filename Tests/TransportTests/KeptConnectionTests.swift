import HTTPTypes
import LiveTransport
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Connections that are kept, over live sockets", .timeLimit(.minutes(5)))
struct KeptConnectionTests {
    /// Answers the first request of its first connection and closes it at the second one; later connections answer all.
    private static func closing(
        _ seen: Box<[String]>,
        _ connections: Box<Int>
    ) -> @Sendable (RawConnection) async throws -> Void {
        { peer in
            let number = connections.add(1)
            while true {
                let head = await peer.read(through: "\r\n\r\n")
                guard let line = head.split(separator: "\r\n").first else { return }
                let isSecond = seen.value.contains { $0.hasPrefix("\(number) ") }
                seen.append("\(number) \(line.prefix { $0 != " " })")
                if number == 1, isSecond { return }
                if head.contains("Content-Length: 4") { _ = await peer.read(4) }
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }

    @Test(
        "what is idempotent is sent again when its kept connection was closed",
        arguments: [
            (HTTPRequest.Method.get, HTTPBody.empty), (.put, .repeatable(length: 4) { .once([1, 2, 3, 4]) }),
        ]
    )
    func repeats(method: HTTPRequest.Method, body: HTTPBody) async throws {
        let seen = Box<[String]>([])
        try await RawServer.run(Self.closing(seen, Box(0))) { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                _ = try await world.send().body.collect(upTo: 2)
                #expect(try await world.send(method, body: body).body.collect(upTo: 2) == Array("ok".utf8))
                #expect(seen.value == ["1 GET", "1 \(method)", "2 \(method)"])
            }
        }
    }

    @Test(
        "what may have taken effect, or cannot be read again, is not sent again",
        arguments: [
            (HTTPRequest.Method.post, HTTPBody.text("four")),
            (.put, .stream(.once([1, 2, 3, 4]), length: 4)),
        ]
    )
    func doesNotRepeat(method: HTTPRequest.Method, body: HTTPBody) async throws {
        let seen = Box<[String]>([])
        try await RawServer.run(Self.closing(seen, Box(0))) { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                _ = try await world.send().body.collect(upTo: 2)
                let error = await failure { () throws(TransportError) in
                    _ = try await world.send(method, body: body)
                }
                #expect(error?.code == .reset)
                #expect(error?.reach == .sent)
                #expect(seen.value == ["1 GET", "1 \(method)"])
            }
        }
    }

    @Test("a closed connection is noticed although other requests open connections meanwhile")
    func othersConnect() async throws {
        let asked = Signal()
        let closing = Signal()
        let (connections, requests) = (Box(0), Box(0))
        try await RawServer.run { peer in
            let number = connections.add(1)
            while true {
                guard await !peer.read(through: "\r\n\r\n").isEmpty else { return }
                if number == 1, requests.add(1) == 2 {
                    asked.give()
                    await closing.wait()
                    return
                }
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                _ = try await world.send().body.collect(upTo: 2)
                async let repeated = world.send().body.collect(upTo: 2)
                await asked.wait()
                _ = try await world.send().body.collect(upTo: 2)
                closing.give()
                #expect(try await repeated == Array("ok".utf8))
            }
        }
    }

    @Test("a connection that the server closes while a request takes it is replaced, whatever the moment")
    func closesMeanwhile() async throws {
        try await RawServer.run { peer in
            guard await !peer.read(through: "\r\n\r\n").isEmpty else { return }
            // Without a word about closing: the client keeps the connection, and may use it before it hears of its end.
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                for _ in 0..<500 {
                    let answer = try await world.send().body.collect(upTo: 2)
                    #expect(answer == Array("ok".utf8))
                }
            }
        }
    }

    @Test("what may have taken effect is not sent again, whatever the moment in which its connection closes")
    func closesWhileItIsSent() async throws {
        let seen = Box<[String]>([])
        try await RawServer.run { peer in
            let head = await peer.read(through: "\r\n\r\n")
            guard !head.isEmpty else { return }
            seen.append(String(decoding: await peer.read(3), as: UTF8.self))
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                for number in 100..<600 {
                    let error = await failure { () throws(TransportError) in
                        _ = try await world.send(.post, body: .text("\(number)")).body.collect(upTo: 2)
                    }
                    // It may have been lost on the way, but not before.
                    if let error { #expect(error.code == .reset && error.reach == .sent) }
                }
            }
        }
        #expect(Set(seen.value).count == seen.value.count)
        #expect(seen.value.count > 200)
    }

    @Test(
        "a connection of HTTP/2 that closes while a request takes it is replaced, and what may have arrived is not sent again",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func http2ClosesMeanwhile(method: HTTPRequest.Method) async throws {
        let taken = Box<[String]>([])
        try await ClosingHTTP2Server.run(identity: "localhost") {
            taken.append($0)
        } while: { port in
            try await withTransport(Certificates.trusting) { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: true)
                var answers = 0
                for number in 0..<500 {
                    do throws(TransportError) {
                        let body: HTTPBody = method == .post ? .text("x") : .empty
                        let answer = try await world.send(method, "/\(number)", body: body)
                        _ = try await answer.body.collect(upTo: 2)
                        answers += 1
                    } catch {
                        // Lost with its connection, after it had been written. Nobody cancelled it.
                        #expect(error.code == .reset)
                        #expect(method == .post, "\(error)")
                    }
                }
                #expect(answers > 200)
            }
        }
        if method == .post { #expect(Set(taken.value).count == taken.value.count) }
    }

    @Test("a server that closes each connection without an answer is asked twice")
    func closedAgain() async throws {
        let connections = Box(0)
        try await RawServer.run { peer in
            connections.add(1)
            _ = await peer.read(through: "\r\n\r\n")
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let error = await failure { () throws(TransportError) in _ = try await world.send() }
                #expect(error?.code == .reset)
                #expect(connections.value == 2)
            }
        }
    }

    @Test("a client ends a connection that it does not use, well before a server does")
    func idleTimes() {
        let client = LiveTransport.Configuration().idleConnectionTimeout
        #expect(client * 3 <= LoopbackHost.Limits().idleTimeout)
    }

    @Test("a connection that never opens was not sent anything, and is given up within its limit")
    func connectLimit() async throws {
        // A listener whose backlog is full and who accepts nobody: further connections wait.
        try await FullListener.run { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let limits = HTTPLimits(
                    connect: .milliseconds(200),
                    progress: .seconds(200),
                    head: .seconds(200)
                )
                let error = await failure { () throws(TransportError) in
                    _ = try await transport.send(world.request(.post), body: .text("x"), limits: limits)
                }
                #expect(error?.code == .timedOut)
                #expect(error?.reach == .notSent)
            }
        }
    }
}
