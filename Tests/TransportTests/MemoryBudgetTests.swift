import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Live listeners whose peers take memory", .timeLimit(.minutes(5)))
struct MemoryBudgetTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    /// The beginning of a message of 15 MiB, masked with zeros.
    private static func unfinished(_ count: Int) -> [UInt8] {
        [0x82, 0xFF, 0, 0, 0, 0, 0, 0xF0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: count)
    }

    @Test("peers with large messages that do not end are closed with 1013, and others go on")
    func unfinishedMessages() async throws {
        let limits = LoopbackHost.Limits(memoryBytes: 1024 * 1024)
        try await withLive(.echo(), limits: limits) { world, _ in
            let good = try await world.connect()
            let closes = await withTaskGroup(of: [UInt8]?.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        guard let peer = try? await RawConnection.connect(port: world.address.port) else {
                            return nil
                        }
                        try? await peer.send(Self.handshake)
                        _ = await peer.read(through: "\r\n\r\n")
                        try? await peer.send(Self.unfinished(600_000))
                        let frame = await peer.readFrame()
                        try? await peer.close()
                        return frame.map { [$0.first] + $0.payload.prefix(2) }
                    }
                }
                // Of six that hold 600,000 bytes, one may go on.
                var closes: [[UInt8]?] = []
                while closes.count < 5, let next = await group.next() { closes.append(next) }
                try? await good.send(text: "still here")
                #expect((try? await good.receive()) == .text("still here"))
                group.cancelAll()
                return closes
            }
            #expect(closes == Array(repeating: [0x88, 0x03, 0xF5], count: 5))
            await good.close(.normal)
        }
    }

    @Test("uploads that nobody reads are refused with 503 once they hold too much, and others are answered")
    func unreadBodies() async throws {
        let server = ScriptedServer.answering { request, _ in
            if request.method == .post { await Signal.waitForCancellation() }
            return .text("answer")
        }
        let limits = LoopbackHost.Limits(memoryBytes: 200_000)
        try await withLive(server, limits: limits) { world, _ in
            let answers = await withTaskGroup(of: String.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        guard let peer = try? await RawConnection.connect(port: world.address.port) else {
                            return "no connection"
                        }
                        try? await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                        try? await peer.send([UInt8](repeating: 1, count: 100_000))
                        return await peer.readToEnd()
                    }
                }
                var answers: [String] = []
                while answers.count < 3, let next = await group.next() { answers.append(next) }
                let other = try? await world.send()
                #expect(other?.head.status == .ok)
                group.cancelAll()
                return answers
            }
            for answer in answers {
                #expect(answer.hasPrefix("HTTP/1.1 503 "))
                #expect(answer.contains("\r\nRetry-After: 1\r\n"))
            }
        }
    }

    @Test("a head that never ends counts, and is refused with 503 too")
    func unfinishedHeads() async throws {
        let limits = LoopbackHost.Limits(headerBytes: 1024 * 1024, memoryBytes: 50_000)
        try await withLive(.echo(), limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n")
            for number in 0..<40 {
                try? await peer.send("X-\(number): \(String(repeating: "x", count: 1000))\r\n")
            }
            #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test("a thousand requests that do not wait for their answers are answered in order")
    func pipelined() async throws {
        let server = ScriptedServer.answering { request, body in
            .text("\(request.path ?? "") \((try? await body.collect(upTo: 1000).count) ?? -1);")
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            var requests = ""
            for number in 0..<500 {
                requests += "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
                requests += "POST /\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                requests += "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"
            }
            try await peer.send(requests)
            for number in 0..<500 {
                #expect(await peer.read(through: ";").hasSuffix("\r\n\r\n/\(number) 0;"))
                #expect(await peer.read(through: ";").hasSuffix("\r\n\r\n/\(number) 3;"))
            }
            try await peer.close()
        }
    }
}

@Suite("Live listeners whose peers take nothing", .timeLimit(.minutes(5)))
struct UntakenOutputTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    @Test("a peer that does not read its answer is cut, and its place is free again")
    func untakenAnswer() async throws {
        let server = ScriptedServer.answering { request, _ in
            request.path == "/large" ? .bytes([UInt8](repeating: 1, count: 64 << 20)) : .text("small")
        }
        let limits = LoopbackHost.Limits(connections: 1, idleTimeout: .seconds(3))
        try await withLive(server, limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port, reads: false)
            try await peer.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            let other = try await world.send()
            #expect(try await other.body.collect(upTo: 10) == Array("small".utf8))
            // The server may have been faster.
            try? await peer.close()
        }
    }

    @Test("requests of a peer that takes no answers are not answered ahead of it")
    func untakenAnswers() async throws {
        let answered = Box(0)
        let server = ScriptedServer.answering { request, _ in
            if request.path == "/other" { return .text("other") }
            answered.add(1)
            return .bytes([UInt8](repeating: 1, count: 32 * 1024))
        }
        let limits = LoopbackHost.Limits(connections: 1, memoryBytes: 1 << 30, idleTimeout: .seconds(3))
        try await withLive(server, limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port, reads: false)
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            try await peer.send(String(repeating: request, count: 4000))
            // Answered when the peer was cut.
            let other = try await world.send(.get, "/other")
            #expect(try await other.body.collect(upTo: 10) == Array("other".utf8))
            // The server may have been faster.
            try? await peer.close()
        }
        // The buffers of the system take some, and the requests that were decoded at once wait here.
        #expect((1..<400).contains(answered.value))
    }

    @Test("a peer that takes its answers late gets all of them")
    func lateAnswers() async throws {
        let server = ScriptedServer.answering { request, _ in
            .text(String(repeating: "x", count: 32 * 1024) + (request.path ?? "") + ";")
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let count = 1000
            let requests = (0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
            try await peer.send(requests.joined())
            for number in 0..<count {
                #expect(await peer.read(through: ";").hasSuffix("x/\(number);"))
            }
            try await peer.close()
        }
    }

    @Test("a WebSocket peer that sends and never reads is cut although it shows that it is there")
    func untakenMessages() async throws {
        let ended = Box<TransportError?>(nil)
        let over = Signal()
        let server = ScriptedServer.session { socket in
            let message = [UInt8](repeating: 7, count: 1 << 20)
            do {
                while true { try await socket.send(binary: message) }
            } catch {
                ended.set(error as? TransportError)
                over.give()
            }
        }
        let limits = LoopbackHost.Limits(idleTimeout: .seconds(1))
        try await withLive(server, limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port, reads: false)
            try await peer.send(Self.handshake)
            while !over.isGiven {
                // A pong that answers nothing.
                try? await peer.send([0x8A, 0x80, 0, 0, 0, 0])
                try await Task.sleep(for: .milliseconds(50))
            }
            // The server may have been faster.
            try? await peer.close()
        }
        #expect(ended.value?.code == .reset)
        #expect(ended.value?.detail == "the peer has taken too little for 1.0 seconds")
    }

    @Test("a WebSocket peer that has gone without a word is noticed although its server asks for no pings")
    func silentPeer() async throws {
        let events = Box<[WebSocketEvent]>([])
        let limits = LoopbackHost.Limits(
            // A machine that is busy for less than the difference still sends its ping first.
            keepAlive: WebSocketKeepAlive(interval: .milliseconds(50), silence: .seconds(8))
        )
        try await withLive(.keeping(events), limits: limits) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            _ = await peer.read(through: "\r\n\r\n")
            #expect(await peer.readFrame()?.first == 0x89)
            _ = await peer.readToEnd()
        }
        #expect(events.value == [.closed(.abnormal)])
    }
}
